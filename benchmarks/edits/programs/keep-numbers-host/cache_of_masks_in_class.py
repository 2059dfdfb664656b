# A class with a cache of masks by length, indented with tabs
# offered: yes
# about: {"name": "self.masks", "way": "cache"}
# fails: self.masks[n] = causal(n)
# %%
import torch

@torch.no_grad()
def causal(n):
	return torch.ones(n, n, device="cuda").tril()

class Attention:
	def __init__(self):
		self.masks = {}

	def mask(self, n):
		if n not in self.masks:
			self.masks[n] = causal(n)
		return self.masks[n]

	def __call__(self, x):
		return (x @ x.T) * self.mask(len(x))
# %%
attention = Attention()
totals = [attention(torch.ones(n, 2, device="cuda")).sum().item() for n in (2, 3, 2, 4)]
print(totals)
