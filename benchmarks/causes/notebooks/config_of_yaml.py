# A configuration in YAML text; the batch in it is too large, and a list of predictions grows as well
#
# cause: activations
# also: kept-tensors
# what: batch
# edit: yes
# remedy: smaller-batch, autocast, accumulate
# gpu: 12GiB
# fails: history = run(cfg)
# cure: batch_size: 384 => batch_size: 96
# source: https://github.com/ultralytics/yolov5/issues/3128

# %%
import torch
from torch import nn

CONFIG = """
model:
  width: 96
  depth: 6
train:
  batch_size: 384
  image: 112
  steps: 6
  lr: 0.001
"""


def parse(text):
    """Two levels are enough for us."""
    found, section = {}, None
    for line in text.strip().splitlines():
        key, _, value = line.partition(":")
        if not line.startswith(" "):
            section = found.setdefault(key, {})
        else:
            section[key.strip()] = float(value) if "." in value else int(value)
    return found


cfg = parse(CONFIG)

# %%
def run(cfg):
    width = cfg["model"]["width"]
    stem = nn.Conv2d(3, width, 3, padding=1)
    body = [m for _ in range(cfg["model"]["depth"]) for m in (nn.Conv2d(width, width, 3, padding=1), nn.ReLU())]
    net = nn.Sequential(stem, *body, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, 10)).cuda()
    opt = torch.optim.Adam(net.parameters(), lr=cfg["train"]["lr"])
    history = []
    for _ in range(cfg["train"]["steps"]):
        images = torch.rand(cfg["train"]["batch_size"], 3, cfg["train"]["image"], cfg["train"]["image"]).cuda()
        scores = net(images)
        loss = scores.logsumexp(1).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        history.append(scores.detach())
    return history


# %%
history = run(cfg)
