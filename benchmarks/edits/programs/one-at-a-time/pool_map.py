# A pool of threads maps a model over inputs
# offered: yes
# fails: outs = list(pool.map(predict, xs))
# %%
import torch
from concurrent.futures import ThreadPoolExecutor
torch.manual_seed(0)
model = torch.nn.Linear(3, 2)
xs = list(torch.randn(6, 4, 3))

def predict(x):
    with torch.no_grad():
        return model(x).mean().item()
# %%
with ThreadPoolExecutor(max_workers=4) as pool:
    outs = list(pool.map(predict, xs))
