# A trainer that accumulates already, eight batches
# offered: no
# because: eight would become another number, and how many samples there are is not known
# about: {"batch": "per_device_train_batch_size", "value": 4}
# fails: trainer.train()
# %%
import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0); torch.set_default_dtype(torch.float64)

class TrainingArguments:
    def __init__(self, output_dir, per_device_train_batch_size=8, gradient_accumulation_steps=1):
        self.size, self.steps = per_device_train_batch_size, gradient_accumulation_steps

class Trainer:
    def __init__(self, model, args, train_dataset):
        self.model, self.args, self.data = model, args, train_dataset
    def train(self):
        opt = torch.optim.SGD(self.model.parameters(), lr=0.1)
        for n, start in enumerate(range(0, len(self.data[0]), self.args.size), 1):
            x, y = (each[start:start + self.args.size] for each in self.data)
            (F.mse_loss(self.model(x), y) / self.args.steps).backward()
            if n % self.args.steps == 0:
                opt.step(); opt.zero_grad()
# %%
args = TrainingArguments("out", per_device_train_batch_size=8, gradient_accumulation_steps=8)
model = nn.Linear(4, 1)
trainer = Trainer(model=model, args=args, train_dataset=(torch.randn(150, 4), torch.randn(150, 1)))
trainer.train()
