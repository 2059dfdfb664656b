"""Mixed precision and gradients that go earlier: a button only where nobody else is concerned."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.programs import START

if TYPE_CHECKING:
    from tests.programs import Programs

# Its tensors have no values.
CARD = "6GiB"

NET = f"""{START}net = nn.Sequential(
    *[m for _ in range(8) for m in (nn.Linear(8192, 8192), nn.ReLU())], nn.Linear(8192, 10)
).cuda()
opt = torch.optim.SGD(net.parameters(), lr=1e-3)
"""
LATE = """for step in range(5):
    x = torch.randn(8192, 8192, device="cuda")
    y = torch.randint(0, 10, (8192,), device="cuda")
    logits = net(x)
    loss = F.cross_entropy(logits, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
"""
DEEP = f"""{START}model = nn.Sequential(
    *[nn.Linear(1024, 1024) for _ in range(60)], nn.Linear(1024, 10)
).cuda()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
"""
STEPS = """for step in range(4):
    x = torch.randn(24000, 1024, device="cuda")
    y = torch.randint(0, 10, (24000,), device="cuda")
    pred = model(x)
    loss = F.cross_entropy(pred, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
"""


def test_gradients_go_before_the_forward_pass(programs: Programs) -> None:
    """Where nobody looks at those of the step before."""
    card = programs.fail(NET, LATE)
    assert card.button("clear-gradients")
    *_, edited = card.edited("clear-gradients")
    assert edited.index("opt.zero_grad") < edited.index("net(x)")
    looks = "def zero_grad(self):\n    log(self.grad)"
    assert card.refused("clear-gradients", looks)


@pytest.mark.parametrize(
    "line", ["norm = net[0].weight.grad.norm() if step else 0", "if step > 3:\n        continue"]
)
def test_gradients_that_are_looked_at_stay(programs: Programs, line: str) -> None:
    """Those of the step before are logged, or added to."""
    source = LATE.replace("    opt.zero_grad", f"    {line}\n    opt.zero_grad")
    assert not programs.fail(NET, source).button("clear-gradients")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("", "autocast.values"),
        ("scaler = torch.amp.GradScaler()", "autocast.already"),
        ("other = nn.BCELoss()", "autocast.refused"),
    ],
)
def test_half_precision_is_no_button(programs: Programs, line: str, why: str) -> None:
    """Of values near 2000 whose differences matter eight bits leave nothing: a sentence says so."""
    card = programs.fail(DEEP + line, STEPS)
    assert not card.button("autocast")
    assert card.why("autocast") == why
