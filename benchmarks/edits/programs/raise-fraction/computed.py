# Computed of other numbers
# offered: yes
# fails: loss = net(x).pow(2).mean()
# %%
import torch
limit, total = 2, 4
torch.cuda.set_per_process_memory_fraction(limit / total)

# %%
net = torch.nn.Linear(4, 2).to("cuda")
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.ones(8, 4, device="cuda")
for step in range(3):
    loss = net(x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
last = loss.item()
