"""The five edits: what each makes of a cell, and in which notebooks it is a button."""

from __future__ import annotations

import pytest
from gpu_headroom.edits.checkpointing import checkpointed, trainer_checkpointed
from gpu_headroom.edits.keep_numbers import kept_without_graph
from gpu_headroom.edits.map_location import loaded_to_host
from gpu_headroom.edits.no_grad import without_gradients
from gpu_headroom.edits.number import add_flag, of_command
from gpu_headroom.edits.rewrite import Anchor
from tests.edits.cases import check, here, refuses_hostile, suits

APPEND = """losses = []
for x, y in loader:
    loss = criterion(model(x), y)
    loss.backward()
    losses.append(loss)"""
SUM = """total = 0
for x, y in loader:
    loss = criterion(model(x), y)
    loss.backward()
    total += loss"""
MEAN = "for x in loader:\n    kept.append(model(x).mean() / 2)"


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("losses", APPEND, APPEND.replace("(loss)", "(loss.detach())")),
        ("total", SUM, SUM.replace("+= loss", "+= loss.detach()")),
        ("kept", MEAN, MEAN.replace("model(x).mean() / 2", "(model(x).mean() / 2).detach()")),
        ("losses", APPEND.replace("(loss)", "(loss.item())"), None),
        ("losses", "losses.append(loss)", None),
        ("losses", APPEND.replace("(loss)", "([loss])"), None),
    ],
)
def test_keep_numbers(name: str, before: str, after: str | None) -> None:
    """In a loop, what is added to a list or a sum is kept without its graph."""
    check(kept_without_graph(name), before, after)


@pytest.mark.parametrize(
    ("use", "button"),
    [
        ("print(len(losses), sum(losses) / len(losses))", True),
        ("print(f'{losses[-1]:.3f}')", True),
        ("plt.plot([x.item() for x in losses])", True),
        ("import torch\nmean = torch.stack(losses).mean()\nprint(float(mean))", True),
        ("best = min(losses)", False),
        ("mean = sum(losses)\nmean.backward()", False),
        ("torch.stack(losses).sum().backward()", False),
        ("step(losses)", False),
        ("run.losses = losses", False),
        ("for x in losses:\n    x.backward()", False),
        ("history = losses", True),
        ("history = losses\nhistory[0].backward()", False),
        ("%store losses", False),
        ("def sum(x): ...\nprint(sum(losses))", False),
        ("losses.sort()", False),
        ("assert loss in losses", False),
    ],
)
def test_keep_numbers_is_a_button_where_all_come_to_numbers(use: str, *, button: bool) -> None:
    """Every other use of the name prints, counts, sums, averages or plots."""
    assert suits(kept_without_graph("losses"), APPEND, use) is button


def test_keep_numbers_of_a_sum_that_goes_backward() -> None:
    """A total is a loss as well."""
    assert suits(kept_without_graph("total"), SUM, "print(total / 3, total.item())")
    assert not suits(kept_without_graph("total"), SUM, "total.backward()")
    assert not suits(kept_without_graph("total"), SUM, "total = history\nprint(total)")


EVALUATES = """import torch
for x, y in test_loader:
    out = model(x.cuda())  # here
    right += (out.argmax(1) == y).sum()"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("out = model(x)  # here", "with torch.no_grad():\n    out = model(x)  # here"),
        (
            EVALUATES,
            EVALUATES.replace("for x", "with torch.no_grad():\n    for x")
            .replace("\n    out", "\n        out")
            .replace("\n    right", "\n        right"),
        ),
        ("def f(x):\n    return model(x)  # here", None),
        ("with torch.no_grad():\n    out = model(x)  # here", None),
        ("loss = model(x)\nloss.backward()  # here", None),
        ("out = await ask(model, x)  # here", None),
        ("class A:\n    out = model(x)  # here", None),
    ],
)
def test_no_grad(before: str, after: str | None) -> None:
    """Around a statement of the cell, or the loop that it is in; never on a function."""
    check(without_gradients(here(before), "torch"), before, after)


TRAINS = """for x, y in loader:
    out = model(x)
    loss = criterion(out, y)
    loss.backward()
    opt.step()"""
NET = "class Net(nn.Module):\n    def forward(self, x):\n        return self.fc(x)\nmodel = Net()"


@pytest.mark.parametrize(
    ("beside", "button"),
    [
        ([], True),
        ([NET, TRAINS, "print(out.shape)"], True),
        ([NET, f"def train():\n    {TRAINS.replace(chr(10), chr(10) + '    ')}\ntrain()"], True),
        (["loss = criterion(out, y)\nloss.backward()"], False),
        (["feats = out\ncriterion(feats).backward()"], False),
        (["grads = torch.autograd.grad(out.sum(), w)"], False),
        (["bank.append(out)\ncontrast(bank).backward()"], False),
        ([NET.replace("return", "self.seen = x\n        return"), "model.seen.backward()"], False),
    ],
)
def test_no_grad_is_a_button_where_nothing_goes_backward(
    beside: list[str], *, button: bool
) -> None:
    """Of what the statement makes, in no cell; a training that makes its own is no matter."""
    assert (
        suits(without_gradients(Anchor(1, "out = model(x)"), "torch"), "out = model(x)", *beside)
        is button
    )


@pytest.mark.parametrize(
    ("flag", "before", "after"),
    [
        (
            "gradient_checkpointing_enable",
            "model = AutoModel.from_pretrained(n)\nmodel.to(d)\nf()",
            (
                "model = AutoModel.from_pretrained(n)\nmodel.to(d)\n"
                "model.gradient_checkpointing_enable("
                'gradient_checkpointing_kwargs={"use_reentrant": False})\nf()'
            ),
        ),
        (
            "set_grad_checkpointing",
            "model = timm.create_model(n).cuda()",
            "model = timm.create_model(n).cuda()\nmodel.set_grad_checkpointing();",
        ),
        (
            "enable_gradient_checkpointing",
            "unet = load()\nmodel = UNet(3)",
            "unet = load()\nmodel = UNet(3)\nmodel.enable_gradient_checkpointing();",
        ),
        ("set_grad_checkpointing", "model = model.cuda()", None),
        ("set_grad_checkpointing", "for n in names:\n    model = make(n)", None),
        ("set_grad_checkpointing", "model = make()\nmodel.set_grad_checkpointing()", None),
    ],
)
def test_checkpointing(flag: str, before: str, after: str | None) -> None:
    """The library's own method, once the model is made and moved."""
    check(checkpointed("model", flag), before, after)


def test_checkpointing_of_a_trainer() -> None:
    """An argument of its settings."""
    after = 'args = TrainingArguments("x", gradient_checkpointing=True, {})'
    kwargs = 'gradient_checkpointing_kwargs={"use_reentrant": False}'
    rewrite = trainer_checkpointed("args")
    assert rewrite('args = TrainingArguments("x")') == after.format(kwargs)
    assert rewrite("args = TrainingArguments(**options)") is None
    assert rewrite("other = TrainingArguments()") is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "model.load_state_dict(torch.load(path))",
            'model.load_state_dict(torch.load(path, map_location="cpu"))',
        ),
        (
            "model.load_state_dict(torch.load(path)['net'], strict=False)",
            "model.load_state_dict(torch.load(path, map_location=\"cpu\")['net'], strict=False)",
        ),
        (
            "state = torch.load('x.pt')\nmodel.load_state_dict(state['model'])",
            (
                "state = torch.load('x.pt', map_location=\"cpu\")\n"
                "model.load_state_dict(state['model'])"
            ),
        ),
        ("state = torch.load(path)", None),
        ("other.load_state_dict(torch.load(path))", None),
        ("model.load_state_dict(torch.load(path, map_location='cpu'))", None),
        ("def f():\n    model.load_state_dict(torch.load(path))", None),
        ("model.load_state_dict(pickle.load(path))", None),
    ],
)
def test_map_location(before: str, after: str | None) -> None:
    """Of what goes into `load_state_dict` of a live model, in the same statement or cell."""
    check(loaded_to_host("torch", ["model"]), before, after)


@pytest.mark.parametrize(
    ("use", "button"),
    [
        ("print(state.keys())", True),
        ("opt.load_state_dict(state['opt'])\ndel state", True),
        ("start = state['epoch'] + 1", True),
        ("ema = state['ema']", False),
        ("mean = state['mean'] * x", False),
        ("use(state)", False),
        ("%who state", False),
    ],
)
def test_map_location_is_a_button_where_it_is_only_loaded(use: str, *, button: bool) -> None:
    """What else is in a checkpoint would be on the host as well."""
    cell = "state = torch.load('x.pt')\nmodel.load_state_dict(state['model'])"
    rewrite = loaded_to_host("torch", ["model"], {"state": {"epoch"}})
    assert suits(rewrite, cell, use) is button


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("%run main.py", "%run main.py --batch-size 32"),
        ("x = 1\n%run main.py --lr 1  ", "x = 1\n%run main.py --lr 1 --batch-size 32  "),
        ("%run main.py --batch-size 64", None),
        ("%run main.py -- rest", None),
        ("%run main.py;", None),
    ],
)
def test_a_flag_of_a_script(before: str, after: str | None) -> None:
    """Behind the `%run` of the line, unless it is given there."""
    line = before.count("\n") + 1
    assert add_flag(Anchor.of(before, line), "--batch-size", 32)(before) == after


def test_a_flag_of_a_command() -> None:
    """As the command is written, with what follows it."""
    cell = "!python main.py --lr 1 > log.txt"
    rewrite = of_command(add_flag(Anchor(1, "%run . --lr 1"), "-b", 32), "main.py")
    assert rewrite(cell) == "!python main.py --lr 1 -b 32 > log.txt"
    assert of_command(rewrite, "") is rewrite


@pytest.mark.parametrize(
    "rewrite",
    [
        kept_without_graph("losses"),
        without_gradients(Anchor(1, "x"), "torch"),
        checkpointed("model", "set_grad_checkpointing"),
        trainer_checkpointed("args"),
        loaded_to_host("torch", ["model"]),
        add_flag(Anchor(1, "x"), "-b", 3),
    ],
)
def test_takes_any_text(rewrite: object) -> None:
    """Hostile cells raise nothing."""
    refuses_hostile(rewrite)  # type: ignore[arg-type]
