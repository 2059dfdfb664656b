# Text embeddings are cached on the GPU by prompt, in the encoder's own dict
#
# cause: growing-cache
# also: kept-tensors
# edit: yes
# remedy: keep-numbers
# gpu: 2GiB
# fails: loss = train_step(torch.randn(4, 1024, device="cuda"), prompt)
# cure: self.cache[prompt] = self.layers(tokens(prompt)) => self.cache[prompt] = self.layers(tokens(prompt)).cpu()
# cure: return self.cache[prompt] => return self.cache[prompt].cuda()
# source: https://github.com/huggingface/diffusers/issues/4892

# %%
import torch
import torch.nn as nn
import torch.nn.functional as F


def tokens(prompt):
    return torch.randn(16, 512, 1024, device="cuda")


class Encoder:
    def __init__(self):
        self.layers = nn.Sequential(nn.Linear(1024, 1024), nn.GELU(), nn.Linear(1024, 1024)).cuda()
        self.cache = {}

    @torch.no_grad()
    def encode(self, prompt):
        if prompt not in self.cache:
            self.cache[prompt] = self.layers(tokens(prompt))
        return self.cache[prompt]


# %%
encoder = Encoder()
denoiser = nn.Linear(1024, 1024).cuda()
optimizer = torch.optim.SGD(denoiser.parameters(), lr=0.1)


def train_step(noisy, prompt):
    context = encoder.encode(prompt).mean((0, 1))
    loss = F.mse_loss(denoiser(noisy + context), noisy)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


# %%
for n in range(100):
    prompt = f"a photo of {n} cats"
    loss = train_step(torch.randn(4, 1024, device="cuda"), prompt)
