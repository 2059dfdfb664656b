# Inside a with block, indented with tabs
# offered: yes
# fails: model = torch.nn.Linear(5, 5)
# %%
import torch
# %%
with torch.device("cpu"):
	model = torch.nn.Linear(5, 5)
	n = sum(p.numel() for p in model.parameters())
