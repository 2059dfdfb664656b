# A table of weak references counts what is alive
# offered: no
# because: what is collected goes from the table
# fails: nodes.append(Node(n))
# %%
import gc, weakref, torch
gc.disable()
alive = weakref.WeakSet()

class Node:
    def __init__(self, n):
        self.w, self.me = torch.ones(n), self
        alive.add(self)
# %%
nodes = []
for n in range(4):
    nodes.append(Node(n))
    nodes = nodes[-1:]
count = len(alive)
gc.enable()
