# Similarities of all features of the epoch with all
#
# cause: huge-request
# also: kept-tensors
# edit: no
# remedy: split-request, chunks
# gpu: 16GiB
# fails: top1 = knn_accuracy(bank, bank_labels)
# source: https://github.com/marcojira/fld/issues/8

# %%
import torch
import torch.nn.functional as F

encoder = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(3072, 128)).cuda().eval()

# %%
bank, bank_labels = [], []
with torch.no_grad():
    for _ in range(50):
        images = torch.rand(1500, 3, 32, 32, device="cuda")
        bank.append(F.normalize(encoder(images), dim=1))
        bank_labels.append(torch.zeros(1500, dtype=torch.long, device="cuda"))
bank, bank_labels = torch.cat(bank), torch.cat(bank_labels)


# %%
@torch.no_grad()
def knn_accuracy(features, labels, k=20, temperature=0.07):
    sim = features @ features.t()
    weights, idx = sim.topk(k, dim=-1)
    votes = F.one_hot(labels[idx], 10) * (weights / temperature).exp().unsqueeze(-1)
    return (votes.sum(1).argmax(-1) == labels).float().mean().item()


# %%
top1 = knn_accuracy(bank, bank_labels)
