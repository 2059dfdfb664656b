# A list of names that a helper of the same name moves
# offered: no
# because: it is a list of names
# about: {"data": ["files"]}
# fails: acc = acc + weight * len(files[i])
# %%
import torch

class Files(list):
    def cuda(self):
        return self

files = Files(["a.pt", "bb.pt"])
files = files.cuda()
weight = torch.ones(1).cuda()
acc = 0
for i in range(2):
    acc = acc + weight * len(files[i])
