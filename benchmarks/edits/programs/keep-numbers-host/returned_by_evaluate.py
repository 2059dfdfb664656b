# A function returns what it kept, and its caller subtracts it from targets on the card
# offered: no
# because: the targets are on the card
# about: {"name": "preds"}
# fails: preds.append(model(x))
# %%
import torch
model = torch.nn.Linear(2, 1).cuda()

@torch.no_grad()
def evaluate(batches):
    preds = []
    for x in batches:
        preds.append(model(x))
    return torch.cat(preds)
# %%
targets = torch.zeros(8, 1, device="cuda")
error = (evaluate(torch.ones(2, 4, 2).cuda()) - targets).abs().mean().item()
