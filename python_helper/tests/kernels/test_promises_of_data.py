"""Data are moved, cut and made in parts only where all that is computed stays the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.programs import START, WEIGHTS

if TYPE_CHECKING:
    from tests.programs import Programs

# It computes; PyTorch may have 92 MiB of it.
CARD = "512MiB,cpu"

DATA = f"""{START}X = torch.linspace(-1, 1, 12_000 * 1024).reshape(12_000, 1024)
Y = torch.linspace(1, 2, 12_000)
X, Y = X.cuda(), Y.cuda()
model = nn.Sequential(nn.Linear(1024, 2048), nn.ReLU(), nn.Linear(2048, 1)).cuda()
opt = torch.optim.SGD(model.parameters(), lr=1e-5)
size = 3000
names = ["a.png", "b.png", "c.png", "d.png"]
"""
STEP = """    opt.zero_grad()
    loss.backward()
    opt.step()
"""
SLICES = f"""for i in range(0, len(X), size):
    loss = F.mse_loss(model(X[i : i + size]).squeeze(1), Y[i : i + size])
{STEP}"""
LISTS = DATA.replace("X.cuda(), Y.cuda()", "*[[x.cuda() for x in d.split(3000)] for d in (X, Y)],")
PAIRS = f"for x, y in zip(X, Y):\n    loss = F.mse_loss(model(x).squeeze(1), y)\n{STEP}"
NAMED = PAIRS.replace("x, y in zip(X", "name, x, y in zip(names, X")
WHOLE = {
    "far = (X @ model[0].weight.T).sum().item()": "per-batch.used",
    "X += model[0].bias[0]": "per-batch.used",
    "held = [X]": "per-batch.used",
    "def all_of():\n    return model(X)": "per-batch.used",
}


def test_batches_of_tensors_are_moved(programs: Programs) -> None:
    """The weights are the same; not where a cell needs all of it on the card."""
    card = programs.fail(DATA, SLICES)
    assert card.button("move-per-batch"), card.why("move-per-batch")
    assert {each: card.refused("move-per-batch", each) for each in WHOLE} == WHOLE
    small = [each.replace("12_000", "6").replace("3000", "2") for each in (DATA, SLICES)]
    expected = programs.value(WEIGHTS, *small)
    start, loop = card.edited("move-per-batch")
    edited = [each.replace("12_000", "6").replace("3000", "2") for each in (start, loop)]
    weights, where = programs.value(f"({WEIGHTS}, X.is_cuda)", *edited)
    assert weights == pytest.approx(expected, abs=1e-6)
    assert not where


@pytest.mark.parametrize("cells", [(LISTS, PAIRS), (LISTS, NAMED)])
def test_lists_and_names_of_files_are_not_moved(programs: Programs, cells: tuple[str, ...]) -> None:
    """A list has no `cuda()`, nor has a name."""
    card = programs.fail(*cells)
    assert not card.button("move-per-batch")
    assert card.click("move-per-batch")["status"] != "ok"


IMAGES = f"""{START}class Resize:
    def __init__(self, size):
        self.size = size

    def __call__(self, x):
        return F.interpolate(x, size=(self.size, self.size))


train_transform = Resize(512)
layers = [layer for n in (3, 8, 8) for layer in (nn.Conv2d(n, 8, 3, padding=1), nn.ReLU())]
net = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1)).cuda()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
"""
RESIZED = f"""for n in range(2):
    x = train_transform(torch.rand(2, 3, 64, 64)).cuda()
    loss = net(x).pow(2).mean()
{STEP}"""


def test_a_smaller_input_is_advice(programs: Programs) -> None:
    """What has to follow the size of an image nobody can tell, and no transform is edited."""
    card = programs.fail(IMAGES, RESIZED)
    assert not card.button("smaller-input")
    assert card.why("smaller-input") == "remedy.smaller-input.reason"
    assert card.click("smaller-input")["status"] != "ok"


ROWS = f"{START}rows = 13_000\nh = torch.linspace(-1, 1, rows * 8).reshape(rows, 8).cuda()\n"


@pytest.mark.parametrize(
    ("code", "offered"),
    [
        ("out = (h @ h.T).argmax(1)", True),
        ("out = (h @ h.T).softmax(1) @ h", False),
        ("out = (h @ h.T).softmax(0).sum(1)", False),
        ("out = (h @ h.T).argmax(0)", False),
    ],
)
def test_rows_that_look_at_each_other_are_made_at_once(
    programs: Programs, code: str, *, offered: bool
) -> None:
    """Only what is left of each row by itself is made in parts, with the same result."""
    cell = f"with torch.no_grad():\n    {code}"
    card = programs.fail(ROWS, cell)
    assert card.button("split-request") is offered
    said = card.remedy("split-request")["note"]["text"]
    assert ("the results stay the same" in said) is offered
    if offered:
        small = ROWS.replace("13_000", "600")
        _, edited = card.edited("split-request")
        expected = programs.value("out.tolist()", small, cell)
        assert programs.value("out.tolist()", small, edited) == expected
