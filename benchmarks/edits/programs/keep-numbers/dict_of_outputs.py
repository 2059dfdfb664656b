# Each step returns a dict that is kept whole; later only its loss is averaged
# offered: yes
# about: {"name": "outputs", "way": "entries"}
# fails: logits = model(batch)
# %%
import torch

torch.manual_seed(8)
model = torch.nn.Linear(4, 4)
opt = torch.optim.SGD(model.parameters(), lr=0.1)

def training_step(batch):
    logits = model(batch)
    return {"loss": logits.logsumexp(1).mean(), "size": len(batch)}
# %%
outputs = []
for batch in torch.randn(5, 3, 4):
    out = training_step(batch)
    opt.zero_grad()
    out["loss"].backward()
    opt.step()
    outputs.append(out)
# %%
mean = sum(float(each["loss"]) * each["size"] for each in outputs) / sum(each["size"] for each in outputs)
print(f"{mean:.4f}")
