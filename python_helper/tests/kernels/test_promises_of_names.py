"""An edit deletes no name that somebody reads, and binds none that is somebody's."""

from __future__ import annotations

from textwrap import indent
from typing import TYPE_CHECKING

import pytest
from tests.programs import START, WEIGHTS

if TYPE_CHECKING:
    from tests.programs import Programs

# It computes; PyTorch may have 92 MiB of it.
CARD = "512MiB,cpu"

# --- What is deleted ----------------------------------------------------

NET = f"""{START}net = nn.Linear(256, 8192).cuda()
rows = 1400
seen = []
"""
# Each round has 44 MiB in `out`, beside which there is no second one.
BODY = """    out = net(torch.full((rows, 256), n / 10, device="cuda"))
    seen.append(out.sum().item())
"""
LOOP = f"for n in range(3):\n{BODY}"
WHILE = f"n = 0\nwhile n < 3:\n{BODY}    n += 1\n"
FUNCTION = f"def go(rows):\n{indent(LOOP, '    ')}"
FEW = NET.replace("1400", "16")


@pytest.mark.parametrize("cells", [(LOOP,), (WHILE,), (FUNCTION, "go(rows)")])
def test_what_nobody_reads_is_deleted(programs: Programs, cells: tuple[str, ...]) -> None:
    """The same program goes on with the same results; the name is gone."""
    card = programs.fail(NET, *cells)
    assert card.button("delete-leftovers")
    expected = programs.value("seen", FEW, *cells)
    _, *edited = card.edited("delete-leftovers")
    found = programs.value("(seen, 'out' in globals())", FEW, *edited)
    assert found == (expected, False)


@pytest.mark.parametrize(
    "cells",
    [
        (f"try:\n{indent(LOOP, '    ')}finally:\n    print(out.shape)",),
        (f"{LOOP}else:\n    print(out.shape)",),
        (WHILE.replace("n < 3", "n < 3 and (not seen or len(out) > 1)"),),
        ("def last():\n    return out.sum()", LOOP),
        (FUNCTION.replace("(rows):\n", "(rows):\n    global out\n"), "go(rows)"),
        (FUNCTION.replace("    for", "    told = lambda: out.shape\n    for"), "go(rows)"),
        (f"{FUNCTION}    return out", "out = go(rows)"),
        (f"{LOOP}mean = out.mean().item()",),
        (LOOP.replace("range(3):", "range(3):\n    if n > 1:\n        print(out.shape)"),),
    ],
)
def test_what_is_read_in_the_cell_is_not_deleted(
    programs: Programs, cells: tuple[str, ...]
) -> None:
    """Behind the loop, before a round has made it, or by a function, whenever that is called."""
    card = programs.fail(NET, *cells)
    assert not card.button("delete-leftovers")
    assert card.why("delete-leftovers") in ("gate.read", "gate.captured", "gate.unbound", "")
    assert card.click("delete-leftovers")["status"] != "ok"


@pytest.mark.parametrize("reader", ["print(out.shape)", "%timeit out.sum()"])
def test_what_another_cell_reads_is_not_deleted(programs: Programs, reader: str) -> None:
    """One that ran, as the card is made; nobody is told to type `del` then, either."""
    card = programs.fail(NET, LOOP, also=reader)
    assert not card.button("delete-leftovers")
    assert card.why("delete-leftovers") == "gate.read"
    assert card.remedy("delete-leftovers")["type_this"] is None


READERS = {
    "print(out.shape)": "gate.read",
    "def last():\n    return out.sum()": "gate.read",
    "class Kept:\n    last = property(lambda self: out)": "gate.read",
    "for out in [out]:\n    pass": "gate.read",
    "out += 1": "gate.read",
    "del out": "gate.read",
    "%timeit out.sum()": "gate.read",
    "exec('print(out)')": "gate.runs_text",
    "def (": "gate.unread",
}


def test_what_a_new_cell_reads_is_not_deleted(programs: Programs) -> None:
    """One that was written after the card was made, as a page clicks."""
    card = programs.fail(NET, LOOP)
    assert {each: card.refused("delete-leftovers", each) for each in READERS} == READERS
    assert card.click("delete-leftovers", "out = 1\nprint(out)")["status"] == "ok"


# A function's `out` is from its round before; the notebook's is somebody's, or left behind.
SMALL = NET.replace("1400", "500")


@pytest.mark.parametrize("reader", ["", "print(out.shape)"])
def test_a_local_is_not_mixed_with_a_global(programs: Programs, reader: str) -> None:
    """`del out, out` is never written, and only what the edit lets go of is counted."""
    card = programs.fail(SMALL, FUNCTION, LOOP, "go(1100)", also=reader)
    remedy = card.remedy("delete-leftovers")
    assert "`out`" in remedy["title"]["text"]
    assert remedy["effect_bytes"] < 1100 * 8192 * 4 + 2**22
    assert remedy["type_this"] is None
    _, function, *others = card.edited("delete-leftovers")
    assert function.count("del out\n") == 1
    assert others[:2] == [LOOP, "go(1100)"]
    expected = programs.value("(seen, out.sum().item())", FEW, FUNCTION, LOOP, "go(8)")
    found = programs.value("(seen, out.sum().item())", FEW, function, LOOP, "go(8)")
    assert found == expected


BEFORE = "held = torch.ones(2200, 8192, device='cuda')\nsize = held.sum().item()"
MAKE = "def make(rows):\n    out = torch.ones(rows, 8192, device='cuda')\n    return out.sum()"


@pytest.mark.parametrize("cells", [(BEFORE,), (MAKE, "size = make(2200).item()")])
def test_what_an_earlier_cell_has_left(programs: Programs, cells: tuple[str, ...]) -> None:
    """It goes in the notebook, not in a function that has a name of its own like it."""
    card = programs.fail(SMALL, LOOP, *cells)
    assert card.button("delete-leftovers")
    edited = card.edited("delete-leftovers")
    assert edited[-1] == f"out = None\n{cells[-1]}"
    assert edited[:-1] == [SMALL, LOOP, *cells[:-1]]
    again = [each.replace("2200", "8") for each in edited[1:]]
    assert programs.value("(size, out)", FEW, *again) == (8 * 8192.0, None)
    assert card.refused("delete-leftovers", "print(out.shape)") == "gate.read"


# --- What is bound ------------------------------------------------------

TRAIN = """for x, y in loader:
    x, y = x.cuda(), y.cuda()
    opt.zero_grad()
    out = model(x)
    loss = F.mse_loss(out, y)
    loss.backward()
    opt.step()
"""
ACCUMULATE = (
    f"""{START}from torch.utils.data import DataLoader, TensorDataset
X = torch.linspace(-1, 1, 512 * 64).reshape(512, 64)
Y = X.flip(1)
wide = [nn.Tanh() for _ in range(20)]
model = nn.Sequential(nn.Linear(64, 4096), *wide, nn.Linear(4096, 64)).cuda()
""",
    """batch_size = 256
loader = DataLoader(TensorDataset(X, Y), batch_size=batch_size, drop_last=True)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
""",
    TRAIN,
)
EACH = (
    f"""{START}model = nn.Sequential(nn.Linear(64, 2048), nn.Tanh(), nn.Linear(2048, 8)).cuda()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
xs = [torch.full((512, 64), n / 100) for n in range(40)]
""",
    """opt.zero_grad()
loss = 0
for x in xs:
    loss += model(x.cuda()).pow(2).mean()
loss.backward()
opt.step()
""",
)
STEP = """x = torch.linspace(-1, 1, rows * 64).reshape(rows, 64).cuda()
loss = model(x).pow(2).mean()
opt.zero_grad()
loss.backward()
opt.step()
"""
SEQUENCE = (
    f"""{START}wide = [layer for _ in range(10) for layer in (nn.Linear(512, 512), nn.Tanh())]
model = nn.Sequential(nn.Linear(64, 512), *wide, nn.Linear(512, 1)).cuda()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
rows = 2048
""",
    STEP,
)
BLOCKS = (
    f"""{START}class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(64, 1024), nn.Linear(1024, 64)

    def forward(self, x):
        return x + self.down(torch.tanh(self.up(x)))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(Block() for _ in range(8))
        self.head = nn.Linear(64, 1)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x)


model = Net().cuda()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
rows = 2048
""",
    STEP,
)
SPLIT = (
    f"""{START}model = nn.Sequential(nn.Linear(64, 8192), nn.ReLU(), nn.Linear(8192, 4))
model.cuda().eval()
rows = 20_000
x = torch.linspace(-1, 1, rows * 64).reshape(rows, 64).cuda()
""",
    "with torch.no_grad():\n    out = model(x)\n",
)
SMALLER = {"4096": "16", "range(40)": "range(3)", "rows = 2048": "rows = 8", "20_000": "600"}


OWN = """class StandardScaler:
    pass


step = batch_index = part = part_loss = gpu = scaler = checkpoint = StandardScaler()
checkpoint_sequential = checkpoint
"""


@pytest.mark.parametrize(
    ("remedy", "program", "result"),
    [
        ("accumulate", ACCUMULATE, WEIGHTS),
        ("backward-each", EACH, WEIGHTS),
        ("checkpointing", BLOCKS, None),
        ("checkpointing", SEQUENCE, None),
        ("split-request", SPLIT, "out.sum(0).tolist()"),
    ],
)
def test_a_name_that_is_somebodys_is_not_bound(
    programs: Programs, remedy: str, program: tuple[str, ...], result: str | None
) -> None:
    """Another is taken, or there is no button; what the names stood for is as it was."""
    card = programs.fail(OWN, *program)
    assert card.button(remedy) is (result is not None)
    if result is None:
        assert card.why(remedy) == "gate.bound"
        return
    small = [_small(each) for each in (OWN, *program)]
    edited = [_small(each) for each in card.edited(remedy)]
    assert edited != small
    expected = programs.value(result, *small)
    mine = "all(x is checkpoint for x in (step, batch_index, part, part_loss, gpu, scaler))"
    found, kept = programs.value(f"({result}, {mine})", *edited)
    assert kept
    assert found == pytest.approx(expected, rel=1e-5, abs=1e-6)


def _small(source: str) -> str:
    """Return a cell of the same program that fits."""
    for old, new in SMALLER.items():
        source = source.replace(old, new)
    return source


TAKEN = [
    "checkpoint_sequential = torch.load(file)",
    "def restore(checkpoint_sequential):\n    return checkpoint_sequential",
    "for checkpoint_sequential in []:\n    pass",
    "print([checkpoint_sequential for checkpoint_sequential in []])",
    "import wandb as checkpoint_sequential",
]


def test_a_name_of_a_new_cell_is_not_bound(programs: Programs) -> None:
    """However it is bound there, in a cell that has not run."""
    card = programs.fail(*SEQUENCE)
    assert card.button("checkpointing")
    assert {card.refused("checkpointing", each) for each in TAKEN} == {"gate.bound"}
    assert card.click("checkpointing", "print(model)")["status"] == "ok"
