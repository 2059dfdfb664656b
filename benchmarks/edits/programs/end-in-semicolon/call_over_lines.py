# A call over several lines, indented with tabs
# offered: yes
# fails: F.conv2d(
# %%
import torch
import torch.nn.functional as F
image = torch.ones(1, 1, 6, 6)
# %%
F.conv2d(
	image,
	torch.ones(1, 1, 3, 3),
	padding=1,
)
# %%
shape = list(image.shape)
