# A Dataset whose constructor puts all samples on the GPU
#
# cause: data-on-gpu
# edit: yes
# remedy: move-per-batch, float32
# gpu: 2GiB
# fails: train_parts = [MyDataset(150_000) for _ in range(4)]
# cure: torch.randn(n, 1024).cuda() => torch.randn(n, 1024)
# cure: torch.zeros(n, dtype=torch.long).cuda() => torch.zeros(n, dtype=torch.long)
# source: https://www.codegenes.net/blog/pytorch-cant-load-entire-dataset

# %%
import torch
from torch.utils.data import Dataset, DataLoader


class MyDataset(Dataset):
    def __init__(self, n):
        self.data = torch.randn(n, 1024).cuda()
        self.labels = torch.zeros(n, dtype=torch.long).cuda()

    def __len__(self):
        return len(self.data)

    def __getitem__(self, i):
        return self.data[i], self.labels[i]


# %%
model = torch.nn.Sequential(
    torch.nn.Linear(1024, 4096), torch.nn.ReLU(), torch.nn.Linear(4096, 10)
).cuda()
optimizer = torch.optim.Adam(model.parameters())

# %%
val_set = MyDataset(40_000)
val_loader = DataLoader(val_set, batch_size=256)
train_parts = [MyDataset(150_000) for _ in range(4)]
train_set = torch.utils.data.ConcatDataset(train_parts)
train_loader = DataLoader(train_set, batch_size=256, shuffle=True)
