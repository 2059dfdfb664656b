# Output and loss of a training loop that nobody reads behind it
# offered: yes
# about: {"names": ["out", "loss"], "where": "loop"}
# fails: out = model(x)
# %%
import torch
torch.manual_seed(0)
model = torch.nn.Linear(4, 2)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
data = [(torch.randn(5, 4), torch.randint(0, 2, (5,))) for _ in range(4)]
# %%
seen = 0
for x, y in data:
    out = model(x)
    loss = torch.nn.functional.cross_entropy(out, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    seen += len(x)
print(seen)
