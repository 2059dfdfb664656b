# An Accelerator goes backward through a stack of what was kept
# offered: no
# because: accelerator.backward(torch.stack(chunk).mean())
# about: {"name": "chunk"}
# fails: chunk.append(loss)
# %%
import torch

class Accelerator:
    def backward(self, loss, **kwargs):
        loss.backward(**kwargs)

accelerator = Accelerator()
model = torch.nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
# %%
chunk = []
for step, x in enumerate(torch.randn(8, 4, 3)):
    loss = model(x).square().mean()
    chunk.append(loss)
    if (step + 1) % 4 == 0:
        accelerator.backward(torch.stack(chunk).mean())
        opt.step()
        opt.zero_grad()
        chunk = []
