# A function loads and returns the model
# offered: yes
# about: {"name": "checkpoint"}
# fails: print(model(torch.ones(1, 2)).item())
# %%
import io

import torch
from torch import nn

torch.manual_seed(4)
store = io.BytesIO()
torch.save({"net": nn.Linear(2, 1).state_dict(), "val_loss": 0.25}, store)


# %%
def resume(source):
    source.seek(0)
    checkpoint = torch.load(source)
    net = nn.Linear(2, 1)
    net.load_state_dict(checkpoint["net"])
    print(f"best: {checkpoint['val_loss']:.3f}")
    return net.eval()


# %%
model = resume(store)
print(model(torch.ones(1, 2)).item())
