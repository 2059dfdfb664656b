# Objects are counted by the collector
# offered: no
# because: gc.get_objects() counts what is not collected
# fails: p = Probe()
# %%
import gc
gc.disable()

class Probe:
    def __init__(self):
        self.me = self
# %%
for n in range(3):
    p = Probe()
left = sum(isinstance(each, Probe) for each in gc.get_objects())
gc.enable()
