"""Data, models and results: where they are, how wide they are, and how much of them at once."""

from __future__ import annotations

import ast

import pytest
from gpu_headroom.edits.chunks import compared_in_parts, predicted_in_parts
from gpu_headroom.edits.clear_gradients import gradients_cleared
from gpu_headroom.edits.dtype import half_precision, single_precision
from gpu_headroom.edits.fraction import unlimited
from gpu_headroom.edits.model_memory import frozen, loaded_to_host
from gpu_headroom.edits.optimizer import factored, one_by_one, owners
from gpu_headroom.edits.per_batch import (
    kept_on_host,
    moved_per_batch,
    moves_of,
    slices_moved,
)
from gpu_headroom.edits.rewrite import Anchor
from gpu_headroom.edits.same_shape import squeezed
from gpu_headroom.edits.start import keras_precision, memory_growth
from tests.edits.cases import check, here, refuses_hostile, shuffled, table

PER_BATCH = table("""
X = X.cuda()
y = y.cuda()
for i in range(0, len(X), 32):
    step(X[i : i + 32], y[i : i + 32])
--->
for i in range(0, len(X), 32):
    step(X[i : i + 32].cuda(), y[i : i + 32].cuda())
====
X, y = X.to(device), y.to(device)  # all of it
print(X.shape)
for i in range(9):
    xb, yb = X[i], y[i]
--->
print(X.shape)
for i in range(9):
    xb, yb = X[i].to(device), y[i].to(device)
====
X = torch.randn(n, 4, device="cuda")
y = make(n).to(device)
for epoch in range(3):
    for i in torch.randperm(n).split(32):
        step(X[i], y[i])
--->
X = torch.randn(n, 4)
y = make(n)
for epoch in range(3):
    for i in torch.randperm(n).split(32):
        step(X[i].to("cuda"), y[i].to(device))
====
X, y = load()
X = X.cuda()
y = y.cuda()
loader = DataLoader(TensorDataset(X, y), 32)
for epoch in range(3):
    for xb, yb in loader:
        # one step
        step(xb, yb)
--->
X, y = load()
loader = DataLoader(TensorDataset(X, y), 32)
for epoch in range(3):
    for xb, yb in loader:
        # one step
        xb, yb = xb.cuda(), yb.cuda()
        step(xb, yb)
====
X = X.cuda()
y = y.cuda()
data = TensorDataset(X, y)
loader = DataLoader(data)
for n, (a, b) in enumerate(loader):
    step(a, b)
--->
data = TensorDataset(X, y)
loader = DataLoader(data)
for n, (a, b) in enumerate(loader):
    a, b = a.cuda(), b.cuda()
    step(a, b)
====
X = X.cuda()
y = y.cuda()
out = model(X)
====
X = X.cuda()
for i in range(9):
    step(X[i])
====
X = X.cuda()
y = y.cuda()
perm = torch.randperm(len(X), device="cuda")
for i in range(9):
    step(X[perm[i]], y[perm[i]])
====
X = X.cuda()
y = y.cuda()
for i in torch.randperm(len(X)).cuda().split(32):
    step(X[i], y[i])
====
for i in range(9):
    step(X[i], y[i])
""")
IN_TWO_CELLS = table("""
X = windows.to(device)  # all
y = targets.to(device)
--->
X = windows  # all
y = targets
====
X, y = load().cuda(), load().cuda()
--->
X, y = load(), load()
====
X = X.cuda()
""")
SLICES = table("""
for i in range(0, len(X), 32):
    loss = f(model(X[i : i + 32]), y[i : i + 32])
--->
for i in range(0, len(X), 32):
    loss = f(model(X[i : i + 32].to(device)), y[i : i + 32].to(device))
====
loader = DataLoader(TensorDataset(X, y))
for a, b in loader:
    step(a, b)
--->
loader = DataLoader(TensorDataset(X, y))
for a, b in loader:
    a, b = a.to(device), b.to(device)
    step(a, b)
====
for a, b in X:
    step(a, b)
--->
for a, b in X:
    a, b = a.to(device), b.to(device)
    step(a, b)
====
model(X)
====
step(z)
""")


@pytest.mark.parametrize(("before", "after"), PER_BATCH)
def test_moves_each_batch(before: str, after: str | None) -> None:
    """And leaves the whole where it is."""
    check(moved_per_batch("X", "y"), before, after)


@pytest.mark.parametrize(("before", "after"), IN_TWO_CELLS)
def test_stays_on_the_host(before: str, after: str | None) -> None:
    """In the cell that moves it."""
    check(kept_on_host("X", "y"), before, after)


def test_a_list_of_batches_stays_on_the_host() -> None:
    """And says how it was moved."""
    before = "X = [(a.to(dev), b.to(dev)) for a, b in loader]"
    check(kept_on_host("X"), before, "X = [(a, b) for a, b in loader]")
    assert moves_of(before, "X") == {"X": ".to(dev)"}
    assert moves_of("X = 1", "X") == {}


@pytest.mark.parametrize(("before", "after"), SLICES)
def test_moves_what_is_used(before: str, after: str | None) -> None:
    """In the cell that uses it."""
    check(slices_moved({"X": ".to(device)", "y": ".to(device)"}), before, after)


SINGLE = table("""
x = torch.zeros(3, dtype=torch.float64)
--->
x = torch.zeros(3, dtype=torch.float32)
====
x = torch.randn(3).double()  # ö
--->
x = torch.randn(3).float()  # ö
====
x = torch.from_numpy(a).cuda()
--->
x = torch.from_numpy(a).float().cuda()
====
x = torch.from_numpy(a).cuda().long()
====
x = torch.from_numpy(a)
--->
x = torch.from_numpy(a).float()
====
x = np.zeros((3, 3), dtype="float64")
y = np.zeros(3, dtype=np.float64)
--->
x = np.zeros((3, 3), dtype="float32")
y = np.zeros(3, dtype=np.float32)
====
x = a.to(torch.double)
--->
x = a.to(torch.float32)
====
y = a.double()
--->
y = a.float()
====
x = a.float()
""")


@pytest.mark.parametrize(("before", "after"), SINGLE)
def test_single_precision_of_a_name(before: str, after: str | None) -> None:
    """With all that says so, since two precisions do not meet; arrays of names alone."""
    check(single_precision("x"), before, after)


def test_single_precision_of_a_cell() -> None:
    """What says the type of something, and no other string or value of that name."""
    before = (
        "if x:\n    model = Net().double()\ny = 'float64!'\nkind = {'float64': torch.float64}\n"
        "z = a.astype('float64')\nw = frame.select_dtypes('float64')"
    )
    after = (
        "if x:\n    model = Net().float()\ny = 'float64!'\nkind = {'float64': torch.float64}\n"
        "z = a.astype('float32')\nw = frame.select_dtypes('float64')"
    )
    check(single_precision(), before, after)


HALF = table("""
model = AutoModel.from_pretrained("gpt2")
--->
model = AutoModel.from_pretrained("gpt2", torch_dtype=torch.float16)
====
model = AutoModel.from_pretrained(
    "gpt2",
    torch_dtype=torch.float32,  # as it is
).cuda()
--->
model = AutoModel.from_pretrained(
    "gpt2",
    torch_dtype=torch.float16,  # as it is
).cuda()
====
model = AutoModel.from_pretrained("gpt2", dtype="auto")
--->
model = AutoModel.from_pretrained("gpt2", dtype=torch.float16)
====
model = Net().cuda()
y = model(x)
--->
model = Net().half().cuda()
y = model(x)
====
model = Net(3).to(device).eval()  # large
--->
model = Net(3).half().to(device).eval()  # large
====
model = Net()
model.cuda()
--->
model = Net()
model.half().cuda()
====
model = AutoModel.from_pretrained("gpt2", torch_dtype=torch.float16)
====
model = AutoModel.from_pretrained("gpt2", **options)
====
model = Net()
model = model.half()
====
y = model(x)
""")


@pytest.mark.parametrize(("before", "after"), HALF)
def test_half_precision(before: str, after: str | None) -> None:
    """Where the model is made."""
    check(half_precision("model"), before, after)


HOST = table("""
state = torch.load("best.pt")
--->
state = torch.load("best.pt", map_location="cpu")
====
model.load_state_dict(torch.load(path, weights_only=True))
--->
model.load_state_dict(torch.load(path, weights_only=True, map_location="cpu"))
====
state = torch.load(path, map_location=device)
--->
state = torch.load(path, map_location="cpu")
====
state = torch.load(path, map_location="cpu")
====
state = torch.load(path, torch.device("cpu"))
====
data = np.load(path)
""")
FROZEN = table("""
model = Net(10)
optimizer = Adam(model.parameters())
--->
model = Net(10)
model.backbone.requires_grad_(False)
optimizer = Adam(model.parameters())
====
model = Net(10)
model = model.to(device)  # ö
--->
model = Net(10)
model = model.to(device)  # ö
model.backbone.requires_grad_(False);
====
model = Net(10)
model.backbone.requires_grad_(False)
====
other = Net(10)
""")
CLEARED = table("""
for x, y in data:
    x = x.cuda()
    out = model(x)  # ö
    loss = criterion(out, y)
    opt.zero_grad()  # late
    loss.backward()
    opt.step()
--->
for x, y in data:
    x = x.cuda()
    opt.zero_grad()  # late
    out = model(x)  # ö
    loss = criterion(out, y)
    loss.backward()
    opt.step()
====
for x in data:
    loss = model(x).mean()
    optimizer.zero_grad(set_to_none=False)  # ö
    loss.backward()
    optimizer.step()
====
for x in data:
    opt.zero_grad()
    loss = model(x).mean()
    loss.backward()
    opt.step()
====
for x in data:
    loss = model(x).mean()
    loss.backward()
    opt.step()
    opt.zero_grad()
====
for x in data:
    loss = model(x).mean()
    loss.backward()
    if ready: opt.zero_grad()
""")
LIMITS = table("""
torch.cuda.set_per_process_memory_fraction(0.25)  # ö
--->
torch.cuda.set_per_process_memory_fraction(1.0)  # ö
====
torch.cuda.set_per_process_memory_fraction(share, 0)
--->
torch.cuda.set_per_process_memory_fraction(1.0, 0)
====
torch.cuda.set_per_process_memory_fraction(fraction=0.5)
--->
torch.cuda.set_per_process_memory_fraction(fraction=1.0)
====
torch.cuda.set_per_process_memory_fraction(1.0)
====
torch.cuda.empty_cache()
""")
ONE_BY_ONE = table("""
opt = torch.optim.AdamW(model.parameters(), lr=1e-4)
--->
opt = torch.optim.AdamW(model.parameters(), lr=1e-4, foreach=False)
====
opt = Adam(
    model.parameters(),
    lr=1e-4,  # ö
)
--->
opt = Adam(
    model.parameters(),
    lr=1e-4,  # ö
    foreach=False,
)
====
opt = Adam(model.parameters(), fused=True)
====
opt = Adam(g.parameters())
other = Adam(d.parameters())
====
opt = Adam(model.parameters(), **options)
""")
FACTORED = table("""
opt = torch.optim.AdamW(model.parameters(), lr=1e-4, betas=(0.9, 0.95), weight_decay=0.1)
--->
opt = torch.optim.Adafactor(model.parameters(), lr=1e-4, weight_decay=0.1)
====
opt = optim.Adam(model.parameters(), 1e-4)  # ö
--->
opt = optim.Adafactor(model.parameters(), 1e-4)  # ö
====
opt = AdamW(model.parameters())
--->
opt = torch.optim.Adafactor(model.parameters())
====
opt = AdamW(model.parameters(), 1e-4, (0.9, 0.99))
====
opt = AdamW(model.parameters(), decoupled=True)
====
opt = torch.optim.SGD(model.parameters(), lr=1e-4)
====
a, b = Adam(g.parameters()), Adam(d.parameters())
""")
SQUEEZED = table("""
loss = ((pred - y) ** 2).mean()  # here
--->
loss = ((pred.squeeze(-1) - y) ** 2).mean()  # here
====
loss = criterion(y, target=pred)  # here
--->
loss = criterion(y, target=pred.squeeze(-1))  # here
====
if ready:
    total += F.mse_loss(pred, y) * 2  # here
--->
if ready:
    total += F.mse_loss(pred.squeeze(-1), y) * 2  # here
====
loss = (pred - y) * (pred + y)  # here
====
loss = criterion(model(x), y)  # here
====
loss = criterion(pred[0], y)  # here
""")
OWNERS: list[tuple[str, set[str] | None]] = [
    ("opt = Adam(model.parameters(), lr=1)", {"model"}),
    ("opt = torch.optim.SGD(params=net.fc.parameters(), lr=1)", {"net.fc"}),
    ("opt = SGD([{'params': a.parameters()}, {'params': b.head.parameters()}])", {"a", "b.head"}),
    ("update = net.fc.parameters()\nopt = SGD(update, lr=1)", {"net.fc"}),
    ("opt = Adam(list(g.parameters()) + list(d.parameters()))", None),
    ("opt = Adam(filter(lambda p: p.requires_grad, model.parameters()))", None),
    ("opt = Adam([x])", None),
    ("opt = Adam(update)", None),
    ("x = 1", set()),
]


@pytest.mark.parametrize(("before", "after"), LIMITS)
def test_lifts_a_limit(before: str, after: str | None) -> None:
    """It would hold until the kernel ends if the line were only taken away."""
    check(unlimited(), before, after)


@pytest.mark.parametrize(("before", "after"), ONE_BY_ONE)
def test_handles_one_parameter_after_the_other(before: str, after: str | None) -> None:
    """Of the only optimizer."""
    check(one_by_one(), before, after)


@pytest.mark.parametrize(("before", "after"), FACTORED)
def test_keeps_rows_and_columns(before: str, after: str | None) -> None:
    """With the arguments that both take."""
    check(factored(), before, after)


@pytest.mark.parametrize(("before", "after"), SQUEEZED)
def test_gives_a_column_the_shape_of_a_row(before: str, after: str | None) -> None:
    """Where it is clear which."""
    check(squeezed(here(before), "pred", "y"), before, after)


@pytest.mark.parametrize(("source", "expected"), OWNERS)
def test_what_optimizers_train(source: str, expected: set[str] | None) -> None:
    """Silence where it is not certain."""
    assert owners(ast.parse(source)) == expected


def test_freezes_all_but_parts() -> None:
    """What an optimizer has is trained."""
    before = "net = Net()\nnet.fc = nn.Linear(4, 2)\nnet = net.cuda()"
    after = f"{before}\nnet.requires_grad_(False)\nnet.fc.requires_grad_(True);"
    check(frozen("net", "net.fc"), before, after)


@pytest.mark.parametrize(("before", "after"), HOST)
def test_loads_to_the_host(before: str, after: str | None) -> None:
    """A checkpoint, beside the model that has its place already."""
    check(loaded_to_host(), before, after)


@pytest.mark.parametrize(("before", "after"), FROZEN)
def test_freezes_a_part(before: str, after: str | None) -> None:
    """Once the model is made."""
    check(frozen("model.backbone"), before, after)


@pytest.mark.parametrize(("before", "after"), CLEARED)
def test_gives_gradients_back(before: str, after: str | None) -> None:
    """Before the forward pass of the next step."""
    check(gradients_cleared(), before, after)


PREDICTED = table("""
y = model(x)  # here
--->
y = torch.cat([model(part) for part in x.split(64)])  # here
====
with torch.no_grad():
    y = model(data.x).argmax(1)  # here
--->
with torch.no_grad():
    y = torch.cat([model(part) for part in data.x.split(64)]).argmax(1)  # here
====
def predict(x):
    return model(x).cpu()  # here
--->
def predict(x):
    return torch.cat([model(part) for part in x.split(64)]).cpu()  # here
====
y = model(x, mask)  # here
====
y = model(f(x))  # here
====
y = [model(x) for x in data]  # here
====
y = other(x)  # here
""")
COMPARED = table("""
near = torch.cdist(a, b).argmin(dim=1)  # here
--->
near = torch.cat([torch.cdist(part, b).argmin(dim=1) for part in a.split(64)])  # here
====
near = torch.argmin(torch.cdist(a, b), dim=-1)  # here
--->
near = torch.cat([torch.argmin(torch.cdist(part, b), dim=-1) for part in a.split(64)])  # here
====
best = (a @ b.T).amax(1)  # here
--->
best = torch.cat([(part @ b.T).amax(1) for part in a.split(64)])  # here
====
far = torch.cdist(a, b).argmin(dim=0)  # here
====
d = torch.cdist(a, b)  # here
====
d = torch.cdist(f(a), b).argmin(1)  # here
====
d = torch.cdist(a, b).sum()  # here
""")


@pytest.mark.parametrize(("before", "after"), PREDICTED)
def test_predicts_in_parts(before: str, after: str | None) -> None:
    """Rows that do not know of each other."""
    check(predicted_in_parts(here(before), "model", 64), before, after)


@pytest.mark.parametrize(("before", "after"), COMPARED)
def test_compares_in_parts(before: str, after: str | None) -> None:
    """Where only one number of each row is left."""
    check(compared_in_parts(here(before), 64, tables=("a", "b")), before, after)


KERAS = table("""
import keras
model = keras.Sequential()
--->
import keras
keras.mixed_precision.set_global_policy("mixed_float16")
model = keras.Sequential()
====
import tensorflow as tf  # ö

from tensorflow import keras
--->
import tensorflow as tf  # ö
tf.keras.mixed_precision.set_global_policy("mixed_float16")

from tensorflow import keras
====
from tensorflow import keras
--->
from tensorflow import keras
keras.mixed_precision.set_global_policy("mixed_float16")
====
import keras; x = 1
====
import torch
====
import keras
keras.mixed_precision.set_global_policy("float32")
""")
GROWTH = table("""
import tensorflow as tf
model = make()
--->
import tensorflow as tf
for gpu in tf.config.list_physical_devices("GPU"):
    tf.config.experimental.set_memory_growth(gpu, True)
model = make()
====
import tensorflow
--->
import tensorflow
for gpu in tensorflow.config.list_physical_devices("GPU"):
    tensorflow.config.experimental.set_memory_growth(gpu, True)
====
import keras
""")


@pytest.mark.parametrize(("before", "after"), KERAS)
def test_keras_in_half_precision(before: str, after: str | None) -> None:
    """Behind its import, under the name it has."""
    check(keras_precision(), before, after)


@pytest.mark.parametrize(("before", "after"), GROWTH)
def test_tensorflow_takes_what_it_needs(before: str, after: str | None) -> None:
    """Said before anything is made."""
    check(memory_growth(), before, after)


@pytest.mark.parametrize("seed", range(20))
def test_whatever_stands_around_it(seed: int) -> None:
    """Comments and blank lines between: it parses, once, and no comment is lost."""
    for rewrite, (before, _) in (
        (moved_per_batch("X", "y"), PER_BATCH[0]),
        (half_precision("model"), HALF[3]),
        (gradients_cleared(), CLEARED[0]),
    ):
        source = shuffled(before, seed)
        changed = rewrite(source)
        assert changed is not None
        assert rewrite(changed) is None


def test_takes_any_text() -> None:
    """Hostile cells raise nothing."""
    anchor = Anchor(1, "losses.append(loss)")
    for rewrite in (
        moved_per_batch("x"),
        single_precision("x"),
        half_precision("x"),
        kept_on_host("x"),
        slices_moved({"x": ".cuda()"}),
        loaded_to_host(),
        frozen("x.y"),
        gradients_cleared(),
        unlimited(),
        one_by_one(),
        factored(),
        squeezed(anchor, "losses", "loss"),
        predicted_in_parts(anchor, "x", 1),
        compared_in_parts(anchor, 1),
        keras_precision(),
        memory_growth(),
    ):
        refuses_hostile(rewrite)
