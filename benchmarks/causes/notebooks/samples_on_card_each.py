# A Dataset that reads every image at the start, each to the GPU
#
# cause: data-on-gpu
# edit: yes
# remedy: move-per-batch
# gpu: 2GiB
# fails: train_set = Faces(range(700))
# cure: self.images.append(read(path).to("cuda")) => self.images.append(read(path))
# source: https://www.codegenes.net/blog/load-90gb-of-images-to-ram-pytorch

# %%
import torch
from torch.utils.data import Dataset

PIXELS = torch.zeros(3, 512, 512)


def read(path):
    return PIXELS.clone()  # stands for Image.open and ToTensor


# %%
class Faces(Dataset):
    def __init__(self, paths):
        self.images = []
        for path in paths:
            self.images.append(read(path).to("cuda"))

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        return self.images[i].flip(-1) if i % 2 else self.images[i]


# %%
train_set = Faces(range(700))
