# An Accelerate loop that keeps the losses of the epoch
#
# cause: retained-graph
# also: activations
# edit: yes
# remedy: keep-numbers
# gpu: 5GiB
# needs: libraries
# fails: accelerator.backward(loss, retain_graph=True)
# cure: epoch_losses.append(loss) => epoch_losses.append(loss.item())
# source: https://huggingface.co/docs/accelerate/basic_tutorials/troubleshooting

# %%
import torch
import torch.nn.functional as F
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

accelerator = Accelerator()
encoder = nn.Sequential(nn.Conv2d(1, 32, 4, 2, 1), nn.ReLU(), nn.Conv2d(32, 64, 4, 2, 1))
decoder = nn.Sequential(nn.ConvTranspose2d(64, 32, 4, 2, 1), nn.ReLU(), nn.ConvTranspose2d(32, 1, 4, 2, 1))
optimizer = torch.optim.AdamW(decoder.parameters(), lr=1e-3)
loader = DataLoader(TensorDataset(torch.zeros(1024, 1, 256, 256)), batch_size=64)
encoder, decoder, optimizer, loader = accelerator.prepare(encoder, decoder, optimizer, loader)

# %%
for epoch in range(3):
    epoch_losses = []
    for (x,) in loader:
        latent = encoder(x)
        aux = decoder(latent)
        loss = F.mse_loss(aux, x) + 1e-4 * latent.square().mean()
        optimizer.zero_grad()
        accelerator.backward(loss, retain_graph=True)
        optimizer.step()
        epoch_losses.append(loss)
    accelerator.print(epoch, sum(epoch_losses) / len(epoch_losses))
