# A dict of lists, one for each number, drawn with pandas' means afterwards
# offered: yes
# about: {"name": "history['loss']"}
# fails: out = model(batch["x"])
# %%
import torch
import numpy as np

torch.manual_seed(1)
model = torch.nn.Linear(4, 2)
opt = torch.optim.AdamW(model.parameters())
batches = [{"x": torch.randn(8, 4), "y": torch.randint(0, 2, (8,))} for _ in range(5)]
history = {"loss": [], "lr": []}
# %%
for batch in batches:
    out = model(batch["x"])
    loss = torch.nn.functional.cross_entropy(out, batch["y"])
    loss.backward()
    opt.step(); opt.zero_grad()
    history["loss"].append(loss)
    history["lr"].append(opt.param_groups[0]["lr"])
# %%
mean_loss = np.mean([float(each) for each in history["loss"]])
lrs = np.array(history["lr"])
