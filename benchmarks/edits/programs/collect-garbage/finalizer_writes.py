# A finalizer writes to a list when its object goes
# offered: no
# because: the order of the list is another
# fails: trainer = Trainer(n)
# %%
import gc, torch
gc.disable()
log = []

class Trainer:
    def __init__(self, n):
        self.me, self.n, self.w = self, n, torch.ones(2)

    def __del__(self):
        log.append(("gone", self.n))
# %%
for n in range(3):
    trainer = Trainer(n)
    log.append(("made", n))
events = list(log)
gc.enable()
