# A function makes both loaders and returns a pair; tqdm and enumerate around them
# offered: yes
# about: {"value": 16, "line": "train_loader, valid_loader = make_loaders(train_bs=16, valid_bs=16)"}
# fails: out = model(images)
# %%
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
try:
    from tqdm.auto import tqdm
except ImportError:
    tqdm = lambda it, **kw: it
# %%
def make_loaders(train_bs, valid_bs, n=48):
    g = torch.Generator().manual_seed(3)
    data = TensorDataset(torch.randn(n, 3, 4, 4, generator=g), torch.randint(0, 2, (n,), generator=g))
    other = TensorDataset(torch.randn(n // 2, 3, 4, 4, generator=g), torch.zeros(n // 2).long())
    train = DataLoader(data, batch_size=train_bs, shuffle=True, num_workers=0)
    valid = DataLoader(other, batch_size=valid_bs)
    return train, valid
# %%
train_loader, valid_loader = make_loaders(train_bs=16, valid_bs=16)
model = nn.Sequential(nn.Flatten(), nn.Linear(48, 2))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters())
# %%
def train_one_epoch(loader):
    model.train()
    seen, running = 0, 0.0
    for step, (images, labels) in enumerate(tqdm(loader, leave=False)):
        optimizer.zero_grad(set_to_none=True)
        out = model(images)
        loss = criterion(out, labels)
        loss.backward()
        optimizer.step()
        running += loss.item() * images.size(0)
        seen += images.size(0)
    return running / seen, seen

def validate(loader):
    model.eval()
    with torch.no_grad():
        return sum((model(x).argmax(-1) == t).sum().item() for x, t in loader)
# %%
%%time
for epoch in range(2):
    train_loss, seen = train_one_epoch(train_loader)
    hits = validate(valid_loader)
