# Logits and labels of a validation are kept on the GPU and compared at its end
#
# cause: kept-tensors
# edit: yes
# remedy: keep-numbers
# gpu: 2GiB
# fails: score = validate(net, val_loader, device)
# cure: all_logits.append(logits) => all_logits.append(logits.cpu())
# cure: all_labels.append(labels) => all_labels.append(labels.cpu())
# source: https://discuss.pytorch.org/t/gpu-memory-usage-increases-by-90-if-torch-no-grad-is-not-used/47876

# %%
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

# %%
net = nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 20_000)).to(device)
val_set = TensorDataset(torch.randn(24_000, 256), torch.randint(0, 20_000, (24_000,)))
val_loader = DataLoader(val_set, batch_size=1000)


def validate(net, loader, device):
    net.eval()
    all_logits, all_labels = [], []
    with torch.no_grad():
        for inputs, labels in loader:
            inputs, labels = inputs.to(device), labels.to(device)
            logits = net(inputs)
            all_logits.append(logits)
            all_labels.append(labels)
    right = sum((a.argmax(1) == b).sum() for a, b in zip(all_logits, all_labels))
    loss = nn.functional.cross_entropy(torch.cat(all_logits), torch.cat(all_labels))
    return right.item() / len(loader.dataset), loss.item()


# %%
score = validate(net, val_loader, device)
print(score)
