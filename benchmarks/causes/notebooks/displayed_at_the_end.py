# Two cells end in what they computed, to look at it; another then does not fit
#
# cause: displayed-values
# edit: yes
# remedy: delete-leftovers
# gpu: 4GiB
# run: 1 2 2 3!
# fails: scores = torch.cat([probe, probe]) @ probe.T
# cure: net(probe).softmax(-1) => net(probe).softmax(-1);
# source: https://stackoverflow.com/questions/24816237/ipython-notebook-clear-cell-output-in-code

# %%
import torch
from torch import nn

torch.set_grad_enabled(False)
net = nn.Linear(768, 16_000).cuda()
probe = torch.randn(16_000, 768, device="cuda")

# %%
# what does it say?
net(probe).softmax(-1)

# %%
scores = torch.cat([probe, probe]) @ probe.T
best = scores.topk(5)
