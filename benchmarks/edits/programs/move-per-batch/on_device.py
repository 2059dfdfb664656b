# Data made on the card with `device=`
# offered: yes
# about: {"data": ["X"], "gpu": ["X"]}
# fails: z = encoder(X[start:start + 8])
# %%
import torch
encoder = torch.nn.Linear(6, 2).to("cuda")
decoder = torch.nn.Linear(2, 6).to("cuda")
params = [*encoder.parameters(), *decoder.parameters()]
opt = torch.optim.Adam(params, lr=1e-3)
# %%
X = torch.ones(32, 6, device="cuda")
for start in range(0, X.size(0), 8):
    z = encoder(X[start:start + 8])
    loss = decoder(z).sub(1).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
