"""A training loop that accumulates, computes in half precision, or checkpoints its activations."""

from __future__ import annotations

import pytest
from gpu_headroom.edits.accumulate import accumulated
from gpu_headroom.edits.autocast import autocast
from gpu_headroom.edits.checkpointing import (
    checkpointed_blocks,
    checkpointed_sequential,
    checkpointing_enabled,
    not_checkpointed,
)
from gpu_headroom.edits.flags import ACCUMULATION, HALF, trainer_flags
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
        checkpointed_blocks(),
        checkpointed_sequential("model"),
        checkpointing_enabled("model"),
        not_checkpointed("model"),
        trainer_flags("lightning", precision="16"),
    ):
        refuses_hostile(rewrite)
