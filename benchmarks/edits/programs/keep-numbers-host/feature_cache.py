# A cache of features that come back to the card where they are read
# offered: yes
# about: {"name": "cache", "way": "cache"}
# fails: cache[i] = backbone(images[i:i + 1].cuda())
# %%
import torch
torch.manual_seed(3)
backbone = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(16, 4)).cuda().eval()
head = torch.nn.Linear(4, 2).cuda()
opt = torch.optim.SGD(head.parameters(), lr=0.1)
images, targets = torch.randn(6, 4, 4), torch.tensor([0, 1, 0, 1, 0, 1]).cuda()
cache = {}

@torch.no_grad()
def features(i):
    if i not in cache:
        cache[i] = backbone(images[i:i + 1].cuda())
    return cache[i]
# %%
for epoch in range(2):
    for i in range(6):
        loss = torch.nn.functional.cross_entropy(head(features(i)), targets[i:i + 1])
        opt.zero_grad()
        loss.backward()
        opt.step()
print(len(cache))
