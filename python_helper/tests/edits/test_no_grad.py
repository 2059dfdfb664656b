"""Evaluation without gradients, in evaluation mode; and what a loop leaves behind."""

from __future__ import annotations

import pytest
from gpu_headroom.edits.delete import deleted_before, deleted_in_loop
from gpu_headroom.edits.eval_mode import evaluating
from gpu_headroom.edits.no_grad import without_gradients
from gpu_headroom.edits.rewrite import Anchor
from tests.edits.cases import check, here, objection, refuses_hostile, table

TRAINED = """for epoch in range(3):
    for x, y in loader:
        out = model(x)
        loss = criterion(out, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""
# The failing line of each is the one with `# here`.
EVALUATED: list[tuple[str, str | None]] = [
    (
        "for x in data:\n    out = model(x)  # here\n    outs.append(out)",
        (
            "with torch.no_grad():\n    for x in data:\n        out = model(x)  # here\n"
            "        outs.append(out)"
        ),
    ),
    ("y = model(x)  # here\nprint(y)", "with torch.no_grad():\n    y = model(x)  # here\nprint(y)"),
    (
        (
            "def evaluate(model, data):\n    '''Say.'''\n    for x in data:\n"
            "        y = model(x)  # here\n"
            "    return y"
        ),
        (
            "@torch.no_grad()\ndef evaluate(model, data):\n    '''Say.'''\n    for x in data:\n"
            "        y = model(x)  # here\n    return y"
        ),
    ),
    (
        "class Net:\n    @log\n    def predict(self, x):\n        return self(x)  # here",
        (
            "class Net:\n    @log\n    @torch.no_grad()\n    def predict(self, x):\n"
            "        return self(x)  # here"
        ),
    ),
    (
        (
            f"{TRAINED}    for x, y in val:\n        out = model(x)  # here\n"
            "        loss = criterion(out, y)\n    print(loss)"
        ),
        (
            f"{TRAINED}    with torch.no_grad():\n        for x, y in val:\n"
            "            out = model(x)  # here\n            loss = criterion(out, y)\n"
            "    print(loss)"
        ),
    ),
    (
        "for epoch in range(3):\n    run(model, train)\n    run(model, val)  # here",
        (
            "for epoch in range(3):\n    run(model, train)\n    with torch.no_grad():\n"
            "        run(model, val)  # here"
        ),
    ),
    (
        "outs = [model(x) for x in data]  # here",
        "with torch.no_grad():\n    outs = [model(x) for x in data]  # here",
    ),
    ("with torch.no_grad():\n    y = model(x)  # here", None),
    ("@torch.inference_mode()\ndef test(x):\n    return model(x)  # here", None),
    ("y = model(x)  # here\ny.sum().backward()", None),
    ("for x in data:\n    y = model(x)  # here\n    loss(y).backward()", None),
    ("def loss_of(x):\n    return model(x)  # here", None),
    ("def embed(x):\n    y = model(x)  # here\n    y.sum().backward()\n    return y.grad", None),
    ("if x: y = model(x)  # here", None),
    ("train(model, data)  # here", None),
    ("x = 1  # here", None),
]


@pytest.mark.parametrize(("before", "after"), EVALUATED)
def test_evaluates_without_gradients(before: str, after: str | None) -> None:
    """The smaller change of the two; never where gradients are needed."""
    check(without_gradients(here(before)), before, after)


def test_under_another_name() -> None:
    """PyTorch's own here."""
    source = "y = model(x)  # here"
    changed = without_gradients(here(source), "th")(source)
    assert changed == "with th.no_grad():\n    y = model(x)  # here"


TEACHER = table("""
for x in data:
    t = teacher(x)  # here
    loss = f(student(x), t)
    loss.backward()
--->
for x in data:
    with torch.no_grad():
        t = teacher(x)  # here
    loss = f(student(x), t)
    loss.backward()
====
t = teacher(x)  # here
f(student(x), t).backward()
--->
with torch.no_grad():
    t = teacher(x)  # here
f(student(x), t).backward()
====
with torch.no_grad():
    t = teacher(x)  # here
====
f(student(x), teacher(x)).backward()  # here
====
t = teacher(x); s = student(x)  # here
""")
COLLECTED = table("""
class Agent:
    def collect(self, n):  # here
        values.append(self.net(n))
        return values
--->
class Agent:
    @torch.no_grad()
    def collect(self, n):  # here
        values.append(self.net(n))
        return values
====
def step(x):  # here
    model(x).backward()
""")


@pytest.mark.parametrize(("before", "after"), TEACHER)
def test_what_is_not_trained_needs_no_gradient(before: str, after: str | None) -> None:
    """Even where gradients are computed of what comes of it."""
    check(without_gradients(here(before), constant=True), before, after)
    assert without_gradients(here(before))(before) is None


@pytest.mark.parametrize(("before", "after"), COLLECTED)
def test_decorates_what_it_is_told_to(before: str, after: str | None) -> None:
    """The anchor is its `def`."""
    check(without_gradients(here(before)), before, after)


MODES = table("""
for x in data:
    y = model(x)  # here
--->
was_training = model.training
model.eval()
try:
    for x in data:
        y = model(x)  # here
finally:
    model.train(was_training)
====
with torch.no_grad():
    y = model(x)  # here
--->
with torch.no_grad():
    was_training = model.training
    model.eval()
    try:
        y = model(x)  # here
    finally:
        model.train(was_training)
====
def validate(model, val):
    for x in val:
        out = model(x)  # here
        if out > 1:
            return out
    return None
--->
def validate(model, val):
    was_training = model.training
    model.eval()
    try:
        for x in val:
            out = model(x)  # here
            if out > 1:
                return out
    finally:
        model.train(was_training)
    return None
====
model.eval()
y = model(x)  # here
====
model.train(False)
y = model(x)  # here
====
y = model(x)  # here
y.backward()
""")


@pytest.mark.parametrize(("before", "after"), MODES)
def test_evaluates_in_evaluation_mode(before: str, after: str | None) -> None:
    """And in the mode that it had behind it, however that ends."""
    check(evaluating(here(before), "model"), before, after)


LEFT: list[tuple[tuple[str, ...], str, str | None]] = [
    (
        ("out", "loss"),
        "for x in data:\n    out = model(x)\n    loss = f(out)  # here\n    loss.backward()  # ö",
        (
            "for x in data:\n    out = model(x)\n    loss = f(out)  # here\n"
            "    loss.backward()  # ö\n"
            "    del out, loss"
        ),
    ),
    (
        ("out",),
        "while True:\n    out, h = model(h)\n    if out:  # here\n        break\n",
        "while True:\n    out, h = model(h)\n    if out:  # here\n        break\n    del out\n",
    ),
    (
        ("out",),
        "def f():\n    for x in data:\n        out = model(x)  # here\n    out = 1\n    return out",
        (
            "def f():\n    for x in data:\n        out = model(x)  # here\n"
            "        del out\n    out = 1\n"
            "    return out"
        ),
    ),
    (("out",), "for x in data:\n    out = model(x)  # here\nprint(out)", None),
    (("h",), "for x in data:\n    y = f(h)\n    h = model(x)  # here", None),
    (("total",), "for x in data:\n    total += model(x)  # here", None),
    (("out",), "for x in data:\n    if x:\n        out = model(x)  # here", None),
    (("out",), "for x in data:\n    out = model(x)  # here\n    continue", None),
    (("out",), "out = model(x)  # here", None),
]


@pytest.mark.parametrize(("names", "before", "after"), LEFT)
def test_deletes_what_a_step_leaves(names: tuple[str, ...], before: str, after: str | None) -> None:
    """Only what each step makes, and nobody reads afterwards."""
    check(deleted_in_loop(here(before), *names), before, after)


BEFORE: list[tuple[str, str | None]] = [
    ("out = f()\ny = model(x)  # here", "out = f()\nout = None\ny = model(x)  # here"),
    (
        "for x in data:\n    y = model(x)  # here",
        "out = None\nfor x in data:\n    y = model(x)  # here",
    ),
    (
        "y = model(x)  # here\nout = 1\nprint(out)",
        "out = None\ny = model(x)  # here\nout = 1\nprint(out)",
    ),
    ("out, z = f(x)  # here\ng(out)", "out = None\nout, z = f(x)  # here\ng(out)"),
    ("out = f(out)  # here", None),
    ("y = model(out)  # here", None),
    ("y = model(x)  # here\nprint(out)", None),
    ("for x in data:\n    y = model(x)  # here\n    z = f(out)", None),
    ("def f(x):\n    y = model(x)  # here", None),
]


@pytest.mark.parametrize(("before", "after"), BEFORE)
def test_deletes_before_a_line(before: str, after: str | None) -> None:
    """What an earlier run left, and this line does not need."""
    check(deleted_before(here(before), "out"), before, after)


@pytest.mark.parametrize(
    ("other", "why"),
    [
        ("image = pipe(2)", "gate.read"),
        ("def draw():\n    return pipe.unet(2)", "gate.read"),
        ("size = pipe.unet.config", "gate.read"),
        ("other = 1", None),
    ],
)
def test_a_part_stays_where_its_owner_is_read(other: str, why: str | None) -> None:
    """Whoever is given `pipe` may ask for its model; asked for again it is not let go of twice."""
    source = "second = make()  # here"
    rewrite = deleted_before(here(source), "pipe.unet")
    assert objection(rewrite, source, "pipe = make()", other) == why
    after = f"pipe.unet = None\n{source}"
    assert rewrite(source) == after
    assert rewrite(after) is None


def test_takes_any_text() -> None:
    """Hostile cells raise nothing."""
    anchor = Anchor(1, "losses.append(loss)")
    refuses_hostile(without_gradients(anchor))
    refuses_hostile(evaluating(anchor, "model"))
    refuses_hostile(deleted_in_loop(anchor, "x"))
    refuses_hostile(deleted_before(anchor, "x"))
