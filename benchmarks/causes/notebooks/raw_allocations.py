# An extension takes memory from the allocator that no tensor stands for
#
# cause: unknown
# edit: no
# remedy: none
# gpu: 8GiB
# fails: y = torch.randn(1024, 1024, 400, device="cuda")
# source: https://docs.pytorch.org/docs/stable/generated/torch.cuda.memory.caching_allocator_alloc.html

# %%
import torch


class Workspace:
    """What a solver written in C++ asks for."""

    def __init__(self, mib):
        self.pointer = torch.cuda.caching_allocator_alloc(mib * 2**20)


# %%
solver = Workspace(6500)

# %%
y = torch.randn(1024, 1024, 400, device="cuda")
