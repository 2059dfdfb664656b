# What is moved is trained itself
# offered: no
# because: an optimizer has it
# about: {"data": ["X"], "gpu": ["X"]}
# fails: loss = net(X[i:i + 2]).pow(2).mean()
# %%
import torch
net = torch.nn.Linear(2, 1).cuda()
X = torch.randn(4, 2)
X = X.cuda()
X.requires_grad_()
opt = torch.optim.SGD([X], lr=0.1)
for i in range(0, 4, 2):
    loss = net(X[i:i + 2]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
