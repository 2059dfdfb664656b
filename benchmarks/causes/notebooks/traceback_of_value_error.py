# A function fails by a wrong shape at its end; what its frame holds is missing for the next cell
#
# cause: earlier-traceback
# edit: no
# remedy: free-traceback
# gpu: 8GiB
# run: 1 2 3? 4!
# fails: scores = similarity(gallery)
# source: https://github.com/pytorch/pytorch/issues/18853

# %%
import torch
import torch.nn.functional as F

gallery = torch.randn(40_000, 512, device="cuda")


def similarity(features, block=8192):
    normed = F.normalize(features, dim=1)
    return torch.cat([(chunk @ normed.T).half() for chunk in normed.split(block)])


# %%
def recall(features, labels, k=5):
    sims = similarity(features)
    sims.fill_diagonal_(-1)
    hits = sims > 0.9
    return (hits == labels).float().mean()


# %%
labels = torch.zeros(39_000, dtype=torch.bool, device="cuda")
recall(gallery, labels)

# %%
# labels were of another split; at least keep the matrix
scores = similarity(gallery)
