# The retry with half of the batch stands inside of except, where the error is alive
#
# cause: earlier-traceback
# also: activations
# edit: yes
# remedy: free-traceback, smaller-batch
# gpu: 6GiB
# fails: fit(net, data, batch_size=batch_size // 2)
# cure: fit(net, data, batch_size=batch_size // 2) => failed = True\nif failed:\n    fit(net, data, batch_size=batch_size // 2)
# source: https://theneuralbase.com/pytorch/errors/torch-cuda-out-of-memory-training-large-model/

# %%
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(2048, 2048) for _ in range(12)])

    def forward(self, x):
        for layer in self.layers:
            x = torch.tanh(layer(x))
        return x


net = Net().cuda()
data = torch.zeros(65_536, 2048)


def fit(net, data, batch_size):
    outputs = net(data[:batch_size].cuda())
    loss = outputs.pow(2).mean()
    loss.backward()


# %%
batch_size = 65_536
failed = False
try:
    fit(net, data, batch_size=batch_size)
except RuntimeError as e:
    if "out of memory" not in str(e):
        raise
    print("| WARNING: ran out of memory, retrying with half of the batch")
    torch.cuda.empty_cache()
    fit(net, data, batch_size=batch_size // 2)
