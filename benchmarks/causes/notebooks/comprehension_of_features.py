# A comprehension keeps every feature of a test set on the GPU
#
# cause: kept-tensors
# edit: yes
# remedy: keep-numbers
# gpu: 2GiB
# fails: features = [encoder(batch.cuda()) for batch in loader]
# cure: features = [encoder(batch.cuda()) for batch in loader] => features = [encoder(batch.cuda()).cpu() for batch in loader]
# source: https://discuss.pytorch.org/t/cuda-out-of-memory-when-extracting-features/

# %%
import torch
from torch import nn
from torch.utils.data import DataLoader

encoder = nn.Sequential(nn.Linear(256, 2048), nn.ReLU(), nn.Linear(2048, 8192)).cuda().eval()
loader = DataLoader(torch.zeros(200_000, 256), batch_size=2000)

# %%
with torch.no_grad():
    features = [encoder(batch.cuda()) for batch in loader]
