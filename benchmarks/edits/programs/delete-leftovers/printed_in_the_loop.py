# The loss is printed inside the loop under tqdm and enumerate
# offered: yes
# about: {"names": ["logits", "loss"], "where": "loop"}
# fails: logits = net(batch)
# %%
import torch
from tqdm import tqdm
net = torch.nn.Linear(3, 3)
opt = torch.optim.Adam(net.parameters())
batches = torch.randn(5, 4, 3)
# %%
losses = []
for i, batch in enumerate(tqdm(batches)):
    logits = net(batch)
    loss = logits.logsumexp(1).mean()
    loss.backward()
    opt.step(); opt.zero_grad()
    losses.append(loss.item())
    if i % 2 == 0:
        print(i, round(loss.item(), 3))
