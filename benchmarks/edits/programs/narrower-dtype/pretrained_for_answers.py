# A stand-in for `from_pretrained`, of which only answers are wanted
# offered: yes
# about: {"way": "half", "model": "lm"}
# fails: logits = lm(ids)
# %%
import torch
from torch import nn


class AutoModelForCausalLM(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb, self.head = nn.Embedding(20, 8), nn.Linear(8, 20)

    @classmethod
    def from_pretrained(cls, name, torch_dtype=None):
        torch.manual_seed(len(name))
        return cls().to(torch_dtype or torch.float32)

    @torch.no_grad()
    def forward(self, ids):
        return self.head(self.emb(ids))


# %%
lm = AutoModelForCausalLM.from_pretrained("small").eval()
ids = torch.tensor([[1, 2, 3]])
# %%
logits = lm(ids)
print(tuple(logits.shape))
