# Inside a with block
# offered: yes
# about: {"name": "hs"}
# fails: hs.append(cell(x, hs[-1]))
# %%
import torch
torch.manual_seed(1)
cell = torch.nn.GRUCell(2, 3)
hs = [torch.zeros(4, 3)]
with torch.no_grad():
    for x in torch.randn(6, 4, 2):
        hs.append(cell(x, hs[-1]))
final = hs[-1].sum().item()
