# Log probabilities of which the last ten are ever read
# offered: yes
# about: {"name": "probs"}
# fails: probs.append(dist.log_prob(a))
# %%
import torch
torch.manual_seed(0)
policy = torch.nn.Linear(3, 2)
opt = torch.optim.SGD(policy.parameters(), lr=0.1)
probs = []
# %%
for step in range(30):
    dist = torch.distributions.Categorical(logits=policy(torch.randn(3)))
    a = dist.sample()
    probs.append(dist.log_prob(a))
    if step % 10 == 9:
        loss = -torch.stack(probs[-10:]).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
