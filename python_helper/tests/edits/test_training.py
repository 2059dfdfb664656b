"""A training loop that accumulates, computes in half precision, or checkpoints its activations."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import pytest
import torch
from gpu_headroom.code.notebook import CellCode, Notebook
from gpu_headroom.edits.accumulate import accumulated
from gpu_headroom.edits.autocast import autocast, is_beyond_float16, scaled
from gpu_headroom.edits.checkpointing import (
    checkpointed_blocks,
    checkpointed_sequential,
    checkpointing_enabled,
    not_checkpointed,
)
from gpu_headroom.edits.flags import ACCUMULATION, HALF, trainer_flags
from gpu_headroom.edits.rewrite import all_of
from tests.edits.cases import check, refuses_hostile, shuffled, table

ACCUMULATED = table("""
for x, y in loader:
    optimizer.zero_grad()  # first
    out = model(x)
    loss = criterion(out, y)
    loss.backward()
    optimizer.step()
--->
for step, (x, y) in enumerate(loader, start=1):
    if step % 4 == 1:
        optimizer.zero_grad()  # first
    out = model(x)
    loss = criterion(out, y)
    (loss / 4).backward()
    if step % 4 == 0:
        optimizer.step()
====
for epoch in range(3):
    for batch in tqdm(loader):  # one epoch
        loss = model(**batch).loss
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()  # last
    print(loss)
--->
for epoch in range(3):
    for step, batch in enumerate(tqdm(loader), start=1):  # one epoch
        loss = model(**batch).loss
        (loss / 4).backward()
        if step % 4 == 0:
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()  # last
    optimizer.zero_grad()
    print(loss)
====
for i, (x, y) in enumerate(loader):
    opt.zero_grad()
    loss = F.mse_loss(model(x), y)

    # learn
    loss.backward()
    opt.step()
    total += loss.item()
--->
for i, (x, y) in enumerate(loader):
    if i % 4 == 0:
        opt.zero_grad()
    loss = F.mse_loss(model(x), y)

    # learn
    (loss / 4).backward()
    if i % 4 == 3:
        opt.step()
    total += loss.item()
====
for i in range(0, len(X), n):
    loss = model(X[i : i + n])
    opt.zero_grad()
    (loss + other).backward()
    opt.step()
--->
for i in range(0, len(X), n):
    loss = model(X[i : i + n])
    if i // n % 4 == 0:
        opt.zero_grad()
    ((loss + other) / 4).backward()
    if i // n % 4 == 3:
        opt.step()
====
for step in range(100):
    opt.zero_grad()
    loss = model(get())
    loss.backward()
    opt.step()
====
for x in loader:
    loss = model(x)
    opt.zero_grad()
    loss.backward()
    print(step)
    opt.step()
====
for x in loader:
    loss = model(x)
    loss.backward()
    if step % 4 == 0:
        opt.step()
        opt.zero_grad()
====
for x in loader:
    loss = model(x)
    loss.backward()
    opt.step()
====
for x in loader:
    loss = model(x)
    loss.backward()
    opt.step()
    print(loss)
    opt.zero_grad()
====
while True:
    opt.zero_grad()
    loss = model(x)
    loss.backward()
    opt.step()
====
loss.backward()
opt.step()
""")


@pytest.mark.parametrize(("before", "after"), ACCUMULATED)
def test_accumulates(before: str, after: str | None) -> None:
    """The effective batch is the same, whatever stands between."""
    check(accumulated(4), before, after)


HALF_LOOPS = table("""
for x, y in loader:
    x, y = x.to(device), y.to(device)
    optimizer.zero_grad()
    out = model(x)
    loss = criterion(out, y)
    loss.backward()
    optimizer.step()
--->
for x, y in loader:
    x, y = x.to(device), y.to(device)
    optimizer.zero_grad()
    with torch.autocast("cuda", dtype=torch.bfloat16):
        out = model(x)
        loss = criterion(out, y)
    loss.backward()
    optimizer.step()
====
for batch in loader:
    loss = model(**batch).loss  # one
    loss.backward()
--->
for batch in loader:
    with torch.autocast("cuda", dtype=torch.bfloat16):
        loss = model(**batch).loss  # one
    loss.backward()
====
def step(x):
    for _ in range(3):
        h = model.body(x)

        # the head
        loss = f(
            model.head(h),
            x,
        )
        (loss * 2).backward()
--->
def step(x):
    for _ in range(3):
        with torch.autocast("cuda", dtype=torch.bfloat16):
            h = model.body(x)

            # the head
            loss = f(
                model.head(h),
                x,
            )
        (loss * 2).backward()
====
for x in loader:
    with torch.autocast("cuda"):
        loss = model(x)
    loss.backward()
====
for x in loader:
    model(x).backward()
====
loss = model(x)
loss.backward()
====
for x in loader:
    loss = model(x).half()
    loss.backward()
====
for x in loader:
    loss = F.binary_cross_entropy(model(x), x)
    loss.backward()
====
for episode in episodes:
    loss = -torch.stack(policy.log_probs).sum()
    loss.backward()
====
for _ in range(3):
    images = torch.rand(4, 3, 64, 64, device="cuda")
    pred = net(images)
    loss = bce(pred, images)
    loss.backward()
--->
for _ in range(3):
    images = torch.rand(4, 3, 64, 64, device="cuda")
    with torch.autocast("cuda", dtype=torch.bfloat16):
        pred = net(images)
        loss = bce(pred, images)
    loss.backward()
""")


@pytest.mark.parametrize(("before", "after"), HALF_LOOPS)
def test_computes_in_half_precision(before: str, after: str | None) -> None:
    """The forward pass and the loss, and nothing else."""
    check(autocast(), before, after)


SCALED_LOOPS = table("""
for x, y in loader:
    optimizer.zero_grad()
    out = model(x)
    loss = criterion(out, y)
    loss.backward()
    optimizer.step()
    scheduler.step()
--->
scaler = torch.amp.GradScaler("cuda")
for x, y in loader:
    optimizer.zero_grad()
    with torch.autocast("cuda", dtype=torch.float16):
        out = model(x)
        loss = criterion(out, y)
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    scheduler.step()
====
def train(model, loader):
    for epoch in range(3):
        for batch in loader:
            loss = model(**batch).loss
            loss.backward()
            total += loss.item()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            self.optimizer.step()  # one
            self.optimizer.zero_grad()
--->
scaler = torch.amp.GradScaler("cuda")
def train(model, loader):
    for epoch in range(3):
        for batch in loader:
            with torch.autocast("cuda", dtype=torch.float16):
                loss = model(**batch).loss
            scaler.scale(loss).backward()
            total += loss.item()
            scaler.unscale_(self.optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(self.optimizer)  # one
            scaler.update()
            self.optimizer.zero_grad()
====
for i, (x, y) in enumerate(loader):
    loss = model(x, y)
    (loss / 4).backward()
    total += loss.item()
    if (i + 1) % 4 == 0:
        clip_grad_value_(model.parameters(), 1.0)
        opt.step()
        opt.zero_grad()
--->
scaler = torch.amp.GradScaler("cuda")
for i, (x, y) in enumerate(loader):
    with torch.autocast("cuda", dtype=torch.float16):
        loss = model(x, y)
    (scaler.scale(loss / 4)).backward()
    total += loss.item()
    if (i + 1) % 4 == 0:
        scaler.unscale_(opt)
        clip_grad_value_(model.parameters(), 1.0)
        scaler.step(opt)
        scaler.update()
        opt.zero_grad()
====
for i, x in enumerate(loader):
    loss = model(x)
    loss.backward()
    if i % 4 != 3:
        continue
    clip_all(model)
    opt.step()
    opt.zero_grad()
--->
scaler = torch.amp.GradScaler("cuda")
for i, x in enumerate(loader):
    with torch.autocast("cuda", dtype=torch.float16):
        loss = model(x)
    scaler.scale(loss).backward()
    if i % 4 != 3:
        continue
    scaler.unscale_(opt)
    clip_all(model)
    scaler.step(opt)
    scaler.update()
    opt.zero_grad()
====
for x in loader:
    loss = model(x)
    loss.backward()
    first.step()
    second.step()
====
for x in loader:
    loss = model(x)
    loss.backward()
    for opt in optimizers:
        opt.step()
====
for x in loader:
    def closure():
        loss = model(x)
        loss.backward()
        return loss
    optimizer.step(closure)
====
for x in loader:
    loss = model(x)
    loss.backward()
    optimizer.step(closure)
====
for x in loader:
    loss = model(x)
    loss.backward()
====
for x in loader:
    optimizer.step()
    loss = model(x)
    loss.backward()
====
for x in loader:
    loss = model(x)
    loss.backward(); optimizer.step()
====
for i, x in enumerate(loader):
    loss = model(x)
    loss.backward()
    clip_grad_norm_(model.parameters(), 1.0)
    if i % 4 == 3:
        optimizer.step()
====
for x in loader:
    loss = model(x)
    scaler.scale(loss).backward()
    optimizer.step()
====
def main():
    import torch
    for x in loader:
        loss = model(x)
        loss.backward()
        optimizer.step()
""")
IN_FLOAT16 = all_of(autocast(dtype="float16"), scaled('torch.amp.GradScaler("cuda")', "scaler"))


@pytest.mark.parametrize(("before", "after"), SCALED_LOOPS)
def test_computes_in_float16_with_a_scaler(before: str, after: str | None) -> None:
    """One step of one optimizer, wherever it stands; nothing is done by half."""
    check(IN_FLOAT16, before, after)


def test_a_scaler_has_a_name_of_its_own() -> None:
    """And is the one of the PyTorch that is there."""
    (before, after), *_ = SCALED_LOOPS
    old = scaled("th.cuda.amp.GradScaler()", "grad_scaler")
    assert after is not None
    expected = after.replace('torch.amp.GradScaler("cuda")', "th.cuda.amp.GradScaler()")
    assert all_of(autocast("th", dtype="float16"), old)(before) == expected.replace(
        "torch.autocast", "th.autocast"
    ).replace("torch.float16", "th.float16").replace("scaler", "grad_scaler")
    assert IN_FLOAT16(f"scaler = StandardScaler()\n{before}") is None


@pytest.mark.parametrize(
    ("line", "overflows"),
    [
        ("scores = scores.masked_fill(mask == 0, -1e9)", True),
        ("scores.masked_fill_(mask.bool(), -1e20)", True),
        ("scores.masked_fill_(mask, -100000)", True),
        ("scores.masked_fill_(mask, -1e4)", False),
        ("scores.masked_fill_(mask, 1e-9)", False),
        ("scores.masked_fill_(mask, float('-inf'))", False),
        ("optimizer = Adam(model.parameters(), eps=1e9)", False),
    ],
)
def test_numbers_that_float16_does_not_reach(line: str, overflows: bool) -> None:
    """PyTorch raises an error where a tensor of float16 is filled with one."""
    assert _is_beyond("import torch", line) is overflows
    names: dict[str, Any] = {"scores": torch.zeros(2, dtype=torch.float16)}
    names |= {
        "mask": torch.zeros(2).bool(),
        "Adam": torch.optim.Adam,
        "model": torch.nn.Linear(1, 1),
    }
    with pytest.raises(RuntimeError, match="overflow") if overflows else nullcontext():
        exec(line, names)  # noqa: S102  a cell of this test


@pytest.mark.parametrize(
    ("line", "in_hand"),
    [
        ("p.data -= 0.1 * p.grad", True),
        ("(g,) = torch.autograd.grad(out, x)", True),
        ("p.register_hook(lambda g: g.clamp(-1, 1))", True),
        ("net.register_full_backward_hook(keep)", True),
        ("with torch.no_grad():\n    x.requires_grad_()", False),
        ("nn.utils.clip_grad_norm_(net.parameters(), 1)", False),
        ("net.register_forward_hook(keep)", False),
    ],
)
def test_gradients_in_hand_would_be_scaled(line: str, in_hand: bool) -> None:
    """Whoever reads them, in whatever cell, would read larger ones."""
    assert _is_beyond("import torch", line) is in_hand


def _is_beyond(*cells: str) -> bool:
    return is_beyond_float16(Notebook([CellCode(each, each) for each in cells]))


ENABLED = table("""
model = AutoModel.from_pretrained("gpt2")
--->
model = AutoModel.from_pretrained("gpt2")
model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
====
model = GPT2LMHeadModel(config)  # small
model.to("cuda")
train(model)
--->
model = GPT2LMHeadModel(config)  # small
model.to("cuda")
model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
train(model)
====
if big:
    model = Net(
        1,
    ).cuda()
--->
if big:
    model = Net(
        1,
    ).cuda()
    model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
====
model = model.to("cuda")
====
other = Net()
====
model = Net(); x = 1
""")
BLOCKS = table("""
from torch.utils.checkpoint import checkpoint
class Net(nn.Module):
    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
--->
from torch.utils.checkpoint import checkpoint
class Net(nn.Module):
    def forward(self, x):
        for layer in self.layers:
            x = checkpoint(layer, x, use_reentrant=False)
        return x
====
import torch
# the model
class Net(nn.Module):
    def forward(self, x):
        x = self.embed(x)
        for block in self.blocks:
            x = block(x)
        return x
--->
import torch
# the model
from torch.utils.checkpoint import checkpoint

class Net(nn.Module):
    def forward(self, x):
        x = self.embed(x)
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False)
        return x
====
class Net(nn.Module):
    def forward(self, x, mask=None):
        for i, layer in enumerate(self.layers):
            x = x + layer(x, mask=mask)
        return x
--->
from torch.utils.checkpoint import checkpoint

class Net(nn.Module):
    def forward(self, x, mask=None):
        for i, layer in enumerate(self.layers):
            x = x + checkpoint(layer, x, mask=mask, use_reentrant=False)
        return x
====
class Net(nn.Module):
    def forward(self, x):
        for block in self.blocks:
            x = checkpoint(block, x)
        return x
====
class Net(nn.Module):
    def forward(self, x):
        return self.body(x)
====
for block in blocks:
    x = block(x)
====
class Net(nn.Module):
    def forward(self, x):
        for block in self.blocks:
            x = block(x, **self.more)
        return x
""")
SEQUENTIAL = table("""
for x in data:
    y = model(x.cuda())
--->
from torch.utils.checkpoint import checkpoint_sequential
for x in data:
    y = checkpoint_sequential(model, 4, x.cuda(), use_reentrant=False)
====
def step(x):
    return model(x)
--->
from torch.utils.checkpoint import checkpoint_sequential
def step(x):
    return checkpoint_sequential(model, 4, x, use_reentrant=False)
====
y = model(x, mask)
====
y = model(*x)
====
y = checkpoint_sequential(model, 2, x)
====
x = 1
""")
WHOLE = table("""
for x in data:
    y = checkpoint(model, x, use_reentrant=False)
--->
for x in data:
    y = model(x)
====
y = torch.utils.checkpoint.checkpoint(
    model,
    x, mask=m,  # both
    preserve_rng_state=False,
)  # ö
--->
y = model(x, mask=m)  # ö
====
loss = f(checkpoint(model, x), y)
--->
loss = f(model(x), y)
====
y = checkpoint(block, x)
====
y = checkpoint(model, x, **options)
====
y = model(x)
""")


@pytest.mark.parametrize(("before", "after"), ENABLED)
def test_enables_checkpointing(before: str, after: str | None) -> None:
    """Once the model is made."""
    check(checkpointing_enabled("model"), before, after)


@pytest.mark.parametrize(("before", "after"), BLOCKS)
def test_checkpoints_blocks(before: str, after: str | None) -> None:
    """In the forward pass."""
    check(checkpointed_blocks(), before, after)


@pytest.mark.parametrize(("before", "after"), SEQUENTIAL)
def test_checkpoints_a_sequence(before: str, after: str | None) -> None:
    """In segments."""
    check(checkpointed_sequential("model"), before, after)


@pytest.mark.parametrize(("before", "after"), WHOLE)
def test_undoes_a_checkpoint_around_everything(before: str, after: str | None) -> None:
    """That saves nothing."""
    check(not_checkpointed("model"), before, after)


ARGUMENTS = table("""
args = TrainingArguments("out")
--->
args = TrainingArguments("out", bf16=True)
====
args = Seq2SeqTrainingArguments(
    output_dir="out",
    bf16=False,  # T4
)
--->
args = Seq2SeqTrainingArguments(
    output_dir="out",
    bf16=True,  # T4
)
====
config = trl.SFTConfig(
    "out",
)
--->
config = trl.SFTConfig(
    "out",
    bf16=True,
)
====
args = TrainingArguments("out", bf16=True)
====
args = TrainingArguments("out", fp16=True)
====
args = TrainingArguments(**options)
====
a = TrainingArguments("a"); b = TrainingArguments("b")
""")


@pytest.mark.parametrize(("before", "after"), ARGUMENTS)
def test_gives_arguments_to_a_trainer(before: str, after: str | None) -> None:
    """Where it is the only one."""
    check(trainer_flags("transformers", **HALF["transformers", "bfloat16"]), before, after)


def test_knows_the_trainers_apart() -> None:
    """Two libraries call theirs `Trainer`."""
    precise = trainer_flags("lightning", **HALF["lightning", "bfloat16"])
    check(
        precise,
        "t = pl.Trainer(max_epochs=3)",
        't = pl.Trainer(max_epochs=3, precision="bf16-mixed")',
    )
    check(precise, "t = L.Trainer()", 't = L.Trainer(precision="bf16-mixed")')
    check(precise, "t = Trainer(model=model, args=args)", None)
    summed = trainer_flags("accelerate", **{ACCUMULATION["accelerate"]: "4"})
    check(summed, "a = Accelerator()", "a = Accelerator(gradient_accumulation_steps=4)")
    check(trainer_flags("accelerate"), "a = Accelerator()", None)


@pytest.mark.parametrize("seed", range(20))
def test_whatever_stands_around_it(seed: int) -> None:
    """Comments and blank lines between: it parses, once, and no line is lost."""
    for rewrite, (before, _) in (
        (accumulated(4), ACCUMULATED[1]),
        (autocast(), HALF_LOOPS[0]),
        (IN_FLOAT16, SCALED_LOOPS[1]),
        (checkpointed_blocks(), BLOCKS[0]),
    ):
        source = shuffled(before, seed)
        changed = rewrite(source)
        assert changed is not None
        assert rewrite(changed) is None
        for line in source.split("\n"):
            if "#" in line:
                assert line[line.index("#") :].strip() in changed


def test_takes_any_text() -> None:
    """Hostile cells raise nothing."""
    for rewrite in (
        accumulated(4),
        autocast(),
        IN_FLOAT16,
        checkpointed_blocks(),
        checkpointed_sequential("model"),
        checkpointing_enabled("model"),
        not_checkpointed("model"),
        trainer_flags("lightning", precision="16"),
    ):
        refuses_hostile(rewrite)
