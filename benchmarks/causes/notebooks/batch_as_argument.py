# The batch is the second positional argument of a function
#
# cause: activations
# what: batch
# edit: yes
# remedy: smaller-batch, autocast, checkpointing, accumulate
# gpu: 6GiB
# fails: train(model, 2048, 3)
# cure: train(model, 2048, 3) => train(model, 512, 3)
# source: https://stackoverflow.com/questions/59129812/how-to-avoid-cuda-out-of-memory-in-pytorch

# %%
import torch
import torch.nn as nn


class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode = nn.Sequential(
            nn.Conv2d(1, 32, 3, padding=1), nn.ELU(), nn.MaxPool2d(2),
            nn.Conv2d(32, 64, 3, padding=1), nn.ELU(), nn.MaxPool2d(2),
        )
        self.decode = nn.Sequential(
            nn.Upsample(scale_factor=2), nn.Conv2d(64, 32, 3, padding=1), nn.ELU(),
            nn.Upsample(scale_factor=2), nn.Conv2d(32, 1, 3, padding=1), nn.Sigmoid(),
        )

    def forward(self, x):
        return self.decode(self.encode(x))


model = Autoencoder().cuda()


# %%
def train(model, n, epochs):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(epochs):
        x = torch.rand(n, 1, 64, 64, device="cuda")
        loss = nn.functional.binary_cross_entropy(model(x), x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


# %%
train(model, 2048, 3)
