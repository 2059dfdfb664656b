# Outputs of a comprehension, of which only the classes are asked for
# offered: yes
# about: {"name": "outs"}
# fails: outs = [model(x) for x in xs]
# %%
import torch

torch.manual_seed(3)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 3))
xs = torch.randn(5, 16, 4)
labels = torch.randint(0, 3, (80,))
# %%
outs = [model(x) for x in xs]
classes = torch.cat(outs).argmax(1)
accuracy = (classes == labels).float().mean()
print(f"{accuracy:.3f}")
