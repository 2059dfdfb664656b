# gc is imported by an earlier cell
# offered: yes
# fails: big = build(size)
# %%
import gc, torch
gc.enable()

def build(n):
    box = [torch.ones(n)]
    box.append(box)
    return box
# %%
sizes = []
for size in (2, 3, 4):
    big = build(size)
    sizes.append(len(big[0]))
