# A nested function appends and reads the last three
# offered: yes
# about: {"name": "window"}
# fails: window.append(f(x))
# %%
import torch

def run(xs, f):
	window = []
	means = []
	for x in xs:
		window.append(f(x))
		means.append(torch.stack(window[-3:]).mean().item())
	return means
# %%
means = run(torch.arange(8.0), torch.sqrt)
print(sum(means))
