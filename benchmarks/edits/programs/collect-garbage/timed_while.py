# A while loop under %%time
# offered: yes
# fails: state = [torch.ones(n)]
# %%
import torch
n, sums = 1, []
# %%
%%time
while n < 4:
    state = [torch.ones(n)]
    state.append(state)
    sums.append(state[0].sum().item())
    n += 1
