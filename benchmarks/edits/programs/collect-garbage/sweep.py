# A sweep over learning rates whose models refer to themselves
# offered: yes
# fails: net = Net(lr)
# %%
import torch

class Net(torch.nn.Module):
    def __init__(self, lr):
        super().__init__()
        self.layer = torch.nn.Linear(4, 2)
        self.hook = self.layer.register_forward_hook(self.seen)
        self.lr = lr

    def seen(self, *_):
        pass

    def forward(self, x):
        return self.layer(x)
# %%
torch.manual_seed(0)
results = {}
for lr in (0.1, 0.01):
    net = Net(lr)
    opt = torch.optim.SGD(net.parameters(), lr=lr)
    loss = net(torch.ones(3, 4)).pow(2).mean()
    loss.backward()
    opt.step()
    results[lr] = loss.item()
