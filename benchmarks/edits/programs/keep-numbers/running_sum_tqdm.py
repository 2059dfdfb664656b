# A running loss that is summed under tqdm and shown in its postfix
# offered: yes
# about: {"name": "running"}
# fails: pred = net(x)
# %%
import torch, torch.nn.functional as F
from tqdm.auto import tqdm

net = torch.nn.Linear(5, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.05)
data = [(torch.randn(8, 5), torch.randn(8, 1)) for _ in range(6)]
# %%
for epoch in range(2):
    running = 0.0
    pbar = tqdm(enumerate(data), total=len(data))
    for i, (x, y) in pbar:
        opt.zero_grad()
        pred = net(x)
        loss = F.mse_loss(pred, y)
        loss.backward()
        opt.step()
        running += loss * x.size(0)
        pbar.set_postfix(loss=float(running) / (i + 1))
    print("epoch", epoch, float(running) / 48)
