# A `query` reads a variable by text, as that of pandas
# offered: no
# because: `@limit` in a text is that name
# about: {"names": ["limit"], "where": "before"}
# fails: out = torch.zeros(6)
# %%
import sys
import torch
class Frame:
    def __init__(self, values):
        self.values = values
    def query(self, text):
        known = vars(sys.modules[Frame.__module__])
        return [v for v in self.values if v > known[text.split("@")[1]]]
df = Frame([1, 2, 3, 4])
limit = 2
small = [v for v in df.values if v < limit]
out = torch.zeros(6)
# %%
kept = df.query("a > @limit")
print(len(kept))
