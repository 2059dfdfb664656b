# A while loop with a counter, indented with tabs
# offered: yes
# about: {"names": ["y"], "where": "loop"}
# fails: y = net(torch.full((2, 3), float(step)))
# %%
import torch
net = torch.nn.Linear(3, 1)
step, sums = 0, []
while step < 5:
	y = net(torch.full((2, 3), float(step)))
	sums.append(y.sum().item())
	step += 1
