"""Models: forward, backward, optimizers, loaders, trainers, hooks."""

from __future__ import annotations

from .scenario import Scenario

# float32: 2**18 numbers are 1 MiB.
SCENARIOS = (
    Scenario(
        "forward",
        "a forward pass whose graph hangs on a local",
        (
            """
def work():
    x = torch.empty(128 * 2**18, device="cuda", requires_grad=True)
    h = x.sin().cos().exp()
    fail()
work()
""",
        ),
        "traceback, autograd graph",
        ("work",),
    ),
    Scenario(
        "backward",
        "the backward pass fails",
        (
            """
class Fails(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 1
    @staticmethod
    def backward(ctx, gradient):
        y = tensor(128)
        fail()
def work():
    x = torch.empty(128 * 2**18, device="cuda", requires_grad=True)
    Fails.apply(x.sin()).sum().backward()
work()
""",
        ),
        "traceback, autograd graph",
        ("Fails", "work"),
    ),
    Scenario(
        "graph-list",
        "losses kept with their graphs are the user's",
        (
            """
losses = []
def step():
    x = torch.empty(64 * 2**18, device="cuda", requires_grad=True)
    losses.append((x * 2).sum())
    y = x.sin()
    if len(losses) == 3:
        fail()
while True:
    step()
""",
        ),
        "traceback, autograd graph",
        ("losses", "step"),
        kept_mib=192,
        alive="len(losses) == 3",
    ),
    Scenario(
        "model",
        "model, gradients and optimizer state are the user's",
        (
            """
model = torch.nn.Linear(4096, 4096, bias=False, device="cuda")  # 64 MiB
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
x = torch.ones(8, 4096, device="cuda")
model(x).sum().backward()
optimizer.step()
""",
            """
def step(x):
    hidden = [model(x) for _ in range(3)]
    big = tensor(256)
    fail()
step(x)
""",
        ),
        "traceback, autograd graph",
        ("model", "optimizer", "step", "x"),
        kept_mib=192,
        alive="len(optimizer.state) == 1 and model.weight.grad is not None",
    ),
    Scenario(
        "trainer",
        "a trainer with a model of its own",
        (
            """
class Trainer:
    def __init__(self, model):
        self.model = model
        self.last = None
    def batches(self):
        for n in range(4):
            yield n, tensor(64)
    def train(self):
        for n, batch in self.batches():
            self.training_step(n, batch)
    def training_step(self, n, batch):
        hidden = tensor(128)
        self.last = batch
        if n == 2:
            fail()
trainer = Trainer(torch.nn.Linear(4096, 4096, bias=False, device="cuda"))
trainer.train()
""",
        ),
        "traceback",
        ("Trainer", "trainer"),
        kept_mib=128,
        alive="trainer.last is not None",
    ),
    Scenario(
        "data-loader",
        "a DataLoader whose collate function fails",
        (
            """
from torch.utils.data import DataLoader
def collate(items):
    batch = tensor(128)
    if 4 in items:
        fail()
    return batch
def epoch():
    for batch in DataLoader(range(8), batch_size=2, collate_fn=collate):
        hidden = tensor(128)
epoch()
""",
        ),
        "traceback",
        ("DataLoader", "collate", "epoch"),
    ),
    Scenario(
        "hooks",
        "module hooks that keep activations in a closure",
        (
            """
def probe(model):
    seen = []
    for layer in model:
        layer.register_forward_hook(lambda module, args, output: seen.append((output, tensor(64))))
    return seen
def work():
    model = torch.nn.Sequential(*(torch.nn.Linear(1024, 1024) for _ in range(3))).to("cuda")
    seen = probe(model)
    y = model(torch.ones(1024, 1024, device="cuda"))
    fail()
work()
""",
        ),
        "traceback",
        ("probe", "work"),
    ),
    Scenario(
        "checkpoint",
        "activation checkpointing fails when it computes again",
        (
            """
from torch.utils.checkpoint import checkpoint
def block(x):
    y = x.sin()
    if torch.is_grad_enabled():
        scratch = tensor(128)
        block.runs += 1
        if block.runs == 2:
            fail()
    return y.cos()
block.runs = 0
def work():
    x = torch.empty(64 * 2**18, device="cuda", requires_grad=True)
    block.runs = 1
    checkpoint(block, x, use_reentrant=False).sum().backward()
work()
""",
        ),
        "traceback, autograd graph",
        ("block", "checkpoint", "work"),
    ),
    Scenario(
        "half-moved",
        "a model that was moved to the GPU in part",
        (
            """
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(4096, 4096, bias=False)
        self.second = torch.nn.Linear(4096, 4096, bias=False)
    def _apply(self, *args, **kwargs):
        moved = self.first._apply(*args, **kwargs)
        fail()
def build():
    model = Model()
    spare = tensor(64)
    return model.to("cuda")
net = build()
""",
        ),
        "traceback",
        ("Model", "build"),
    ),
)
