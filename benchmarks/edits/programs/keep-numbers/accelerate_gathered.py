# Losses that are gathered by an Accelerator before they are kept
# offered: yes
# about: {"name": "seen"}
# fails: loss = net(x).pow(2).mean()
# %%
import torch


class Accelerator:
    def prepare(self, *things):
        return things

    def backward(self, loss):
        loss.backward()

    def gather(self, tensor):
        return tensor.detach().clone()

accelerator = Accelerator()
net = torch.nn.Linear(3, 3)
optim = torch.optim.Adam(net.parameters())
net, optim = accelerator.prepare(net, optim)
# %%
seen = []
for x in torch.randn(6, 4, 3):
    optim.zero_grad()
    loss = net(x).pow(2).mean()
    accelerator.backward(loss)
    optim.step()
    seen.append(loss)
# %%
final = torch.stack(seen).mean().item()
