# A checkpoint is loaded to the GPU and stays beside the model while training resumes
#
# cause: kept-copies
# also: model-too-large
# edit: yes
# remedy: map-location, delete-leftovers
# gpu: 3GiB
# fails: optimizer.step()
# cure: torch.load(file) => torch.load(file, map_location='cpu')
# source: https://discuss.pytorch.org/t/saving-and-loading-models-across-devices/177391

# %%
import io

import torch
import torch.nn as nn


class Encoder(nn.Module):
    def __init__(self, d=2048, n=4, device="cuda"):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(d, 4 * d, device=device) for _ in range(n))
        self.outs = nn.ModuleList(nn.Linear(4 * d, d, device=device) for _ in range(n))

    def forward(self, x):
        for up, down in zip(self.layers, self.outs):
            x = x + down(torch.relu(up(x)))
        return x


# %%
# the run of yesterday
file = io.BytesIO()
first = Encoder()
torch.save({"epoch": 12, "model": first.state_dict()}, file)
del first
file.seek(0)

# %%
model = Encoder()
checkpoint = torch.load(file)
model.load_state_dict(checkpoint["model"])
start_epoch = checkpoint["epoch"] + 1
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)

# %%
x = torch.randn(8, 2048, device="cuda")
for epoch in range(start_epoch, start_epoch + 3):
    loss = model(x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
