# Under %%time, with enumerate
# offered: yes
# about: {"name": "ema"}
# fails: ema.append(0.9 * ema[-1] + 0.1 * value)
# %%
import torch
ema = [torch.zeros(2)]
# %%
%%time
shown = []
for n, value in enumerate(torch.ones(7, 2)):
    ema.append(0.9 * ema[-1] + 0.1 * value)
    if n % 3 == 0:
        shown.append(float(ema[-1][0]))
# %%
shown
