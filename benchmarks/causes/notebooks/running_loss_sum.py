# A sum of losses for the log keeps every step's graph
#
# cause: retained-graph
# also: activations
# edit: yes
# remedy: keep-numbers
# gpu: 12GiB
# fails: dev_loss = evaluate(args.steps)
# cure: total_loss += loss => total_loss += loss.item()
# source: https://pytorch.org/docs/stable/notes/faq.html

# %%
from types import SimpleNamespace

import torch
from torch import nn, optim

args = SimpleNamespace(lr=1e-3, batch_size=256, hidden=2048, steps=200, log_every=50)

# %%
class Tagger(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.embed = nn.Embedding(20000, 256)
        self.conv = nn.Conv1d(256, hidden, 5, padding=2)
        self.out = nn.Linear(hidden, 40)

    def forward(self, tokens):
        h = torch.relu(self.conv(self.embed(tokens).transpose(1, 2)))
        return self.out(h.transpose(1, 2))


model = Tagger(args.hidden).cuda()
criterion = nn.CrossEntropyLoss()
optimizer = optim.Adam(model.parameters(), lr=args.lr)

# %%
def evaluate(steps):
    total_loss = 0
    for step in range(steps):
        inputs = torch.randint(0, 20000, (args.batch_size, 128)).cuda()
        labels = torch.randint(0, 40, (args.batch_size, 128)).cuda()
        outputs = model(inputs)
        loss = criterion(outputs.flatten(0, 1), labels.flatten())
        total_loss += loss
        if step % args.log_every == 0:
            print(f"{step}: {total_loss / (step + 1):.3f}")
    return total_loss / steps


# %%
dev_loss = evaluate(args.steps)
