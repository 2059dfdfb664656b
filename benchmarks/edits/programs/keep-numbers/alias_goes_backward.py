# Another name for the list, whose last entry goes backward
# offered: no
# because: window is outs
# about: {"name": "outs"}
# fails: outs.append(cell(x, outs[-1] if outs else None))
# %%
import torch
torch.manual_seed(4)
cell = torch.nn.GRUCell(2, 3)
opt = torch.optim.SGD(cell.parameters(), lr=0.1)
outs = []
window = outs
# %%
for x in torch.randn(5, 4, 2):
    outs.append(cell(x, outs[-1] if outs else None))
opt.zero_grad()
window[-1].sum().backward()
opt.step()
