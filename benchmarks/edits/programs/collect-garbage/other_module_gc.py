# gc is a module of somebody else
# offered: no
# because: gc is graph_cuts here
# fails: cut = gc.cut(torch.ones(2))
# %%
import sys, types, torch
sys.modules["graph_cuts"] = types.ModuleType("graph_cuts")
sys.modules["graph_cuts"].cut = lambda x: x * 2
# %%
import graph_cuts as gc
# %%
cut = gc.cut(torch.ones(2))
# %%
total = gc.cut(cut).sum().item()
