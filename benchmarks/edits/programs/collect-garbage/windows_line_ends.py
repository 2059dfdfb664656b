# Windows' line ends and tqdm
# offered: yes
# fails: outs.append(run(seed))
# %%
import torch
from tqdm import tqdm

def run(seed):
    torch.manual_seed(seed)
    return torch.rand(3).sum().item()
# %%
outs = []
for seed in tqdm(range(4)):
    outs.append(run(seed))
