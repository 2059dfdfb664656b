"""An edit of a training gives the same weights and logs, or there is no button."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.programs import START, WEIGHTS

if TYPE_CHECKING:
    from tests.programs import Programs

# It computes; PyTorch may have 92 MiB of it.
CARD = "512MiB,cpu"


def changed(cells: tuple[str, ...], *changes: tuple[str, str]) -> tuple[str, ...]:
    """Return cells with texts in them replaced, each of which has to be there."""
    for old, new in changes:
        assert any(old in each for each in cells), old
        cells = tuple([each.replace(old, new) for each in cells])
    return cells


# --- Numbers that are kept ----------------------------------------------

MODEL = f"""{START}model = nn.Sequential(nn.Linear(64, 512), nn.Tanh(), nn.Linear(512, 8)).cuda()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
rounds = 200
"""
LOSSES = """losses = []
for n in range(rounds):
    x = torch.full((4096, 64), n / 100, device="cuda")
    loss = model(x).pow(2).mean()
    losses.append(loss)
"""
AGENT = f"""{START}class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.policy = nn.Sequential(nn.Linear(64, 4096), nn.Tanh(), nn.Linear(4096, 8))
        self.logps = []

    def act(self, state):
        logp = self.policy(state).log_softmax(-1)
        self.logps.append(logp)
        return logp.argmax(-1).sum().item()


agent = Agent().cuda()
opt = torch.optim.SGD(agent.parameters(), lr=0.1)
rounds = 200
total = 0
"""
ACT = """for n in range(rounds):
    total += agent.act(torch.full((512, 64), n / 100, device="cuda"))
"""
PREDICT = f"""{START}model = nn.Linear(64, 4096).cuda().eval()
start = torch.zeros(1, 4096, device="cuda")
rounds = 100
preds = []
"""
PREDICTIONS = """with torch.no_grad():
    for n in range(rounds):
        preds.append(model(torch.full((512, 64), n / 100, device="cuda")))
"""
KEPT = {
    "losses": (
        (MODEL, LOSSES),
        "curve = [each.item() for each in losses]",
        "curve",
        {
            "opt.zero_grad()\nsum(losses).backward()\nopt.step()": "gate.backward",
            "def fit(parts):\n    total = sum(parts)\n    total.backward()\n\n\nfit(losses)": (
                "gate.backward"
            ),
            "mine = losses\ntorch.stack(mine).mean().backward()": "gate.backward",
            "helper.fit(losses)": "gate.handed_on",
            "grads = torch.autograd.grad(losses[-1], list(model.parameters()))": "gate.backward",
        },
    ),
    "an attribute": (
        (AGENT, ACT),
        "score = torch.stack(agent.logps).sum().item()",
        "(total, round(score, 2))",
        {
            "loss = -torch.stack(agent.logps).sum()\nloss.backward()": "gate.backward",
            "def finish(player):\n    (-sum(player.logps).sum()).backward()": "gate.backward",
            "kept = getattr(agent, field)\nkept[-1].sum().backward()": "keep.by_text",
        },
    ),
    "predictions": (
        (PREDICT, PREDICTIONS),
        "score = torch.cat(preds).sum().item()",
        "round(score, 2)",
        {
            "trace = torch.cat([start, *preds])": "host.meets",
            "parts = [start]\nparts += preds\ntrace = torch.cat(parts)": "host.meets",
            "far = [(each - start).abs().max() for each in preds]": "host.meets",
        },
    ),
}


@pytest.mark.parametrize("name", KEPT)
def test_what_is_kept_is_a_number_to_all(programs: Programs, name: str) -> None:
    """Where no cell needs a graph, or the card; a page that has one which does is refused."""
    cells, tells, result, needs = KEPT[name]
    card = programs.fail(*cells, also=tells)
    assert card.button("keep-numbers")
    assert {each: card.refused("keep-numbers", each) for each in needs} == needs
    expected = programs.value(result, *changed(cells, ("rounds = ", "rounds = 3 #")), tells)
    start, loop, _ = card.edited("keep-numbers")
    (few,) = changed((start,), ("rounds = ", "rounds = 3 #"))
    assert (start, loop) != cells
    assert programs.value(result, few, loop, tells) == expected


BANK = PREDICT.replace("preds = []", 'bank = torch.empty(0, 4096, device="cuda")')
JOINED = """with torch.no_grad():
    for n in range(rounds):
        out = model(torch.full((256, 64), n / 100, device="cuda"))
        bank = torch.cat([bank, out])
"""
FIT = "def fit(parts):\n    opt.zero_grad()\n    total = sum(parts)\n    {}\n    opt.step()"


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        ((MODEL, FIT.format("total.backward()"), f"{LOSSES}fit(losses)"), "gate.backward"),
        ((MODEL, FIT.format("print(total.item())"), f"{LOSSES}fit(losses)"), ""),
        ((AGENT, f"{ACT}(-torch.stack(agent.logps).sum()).backward()"), "gate.backward"),
        ((BANK, JOINED), "host.meets"),
        ((PREDICT, f"{PREDICTIONS}parts = [start]\nfull = torch.cat(parts + preds)"), "host.meets"),
    ],
)
def test_what_is_trained_with_keeps_its_graph(
    programs: Programs, cells: tuple[str, ...], reason: str
) -> None:
    """In the failing cell, too: also by a function that has another name for it."""
    card = programs.fail(*cells)
    assert card.button("keep-numbers") is (not reason)
    assert card.why("keep-numbers") == reason


# --- A batch in parts ---------------------------------------------------

BATCHES = (
    f"""{START}from torch.utils.data import DataLoader, TensorDataset
X = torch.linspace(-1, 1, 512 * 64).reshape(512, 64)
Y = X.flip(1)
wide = [nn.Tanh() for _ in range(20)]
model = nn.Sequential(nn.Linear(64, 4096), *wide, nn.Linear(4096, 64)).cuda()
rates = []
""",
    """batch_size = 256
loader = DataLoader(TensorDataset(X, Y), batch_size=batch_size, drop_last=True)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
sched = torch.optim.lr_scheduler.StepLR(opt, 1, gamma=0.5)
""",
    """running = 0.0
for x, y in loader:
    x, y = x.cuda(), y.cuda()
    opt.zero_grad()
    out = model(x)
    # the mean over a batch
    loss = F.mse_loss(out, y)
    loss.backward()  # of all of it
    opt.step()
    sched.step()
    running += loss.item()
mean = running / len(loader)
""",
)
ONCE = "sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=0.1, {})\n"


def test_a_batch_in_parts_trains_and_logs_the_same(programs: Programs) -> None:
    """Weights, the learning rate and the mean of the losses; comments stay."""
    card = programs.fail(*BATCHES)
    assert card.button("accumulate")
    edited = card.edited("accumulate")
    assert "    # the mean over a batch\n" in edited[-1]
    assert ".backward()  # of all of it\n" in edited[-1]
    result = f"(round(mean, 5), sched.get_last_lr(), {WEIGHTS})"
    small = ("4096", "16")
    mean, rate, weights = programs.value(result, *changed(BATCHES, small))
    now = programs.value(result, *changed(tuple(edited), small))
    assert now == (mean, rate, pytest.approx(weights, abs=1e-6))


@pytest.mark.parametrize(
    "changes",
    [
        [("    sched.step()\n", "    seen = x.shape\n    sched.step()\n")],
        [("/ len(loader)", "/ 2")],
        [("running += loss.item()", "running += loss.item() * len(x)")],
        [("TensorDataset(X, Y)", "Rows()"), ("batch_size = 256\n", "{rows}batch_size = 256\n")],
        [("nn.Linear(64, 4096), *wide", "nn.Linear(64, 4096), nn.BatchNorm1d(4096), *wide")],
    ],
)
def test_a_batch_in_parts_is_advice(programs: Programs, changes: list[tuple[str, str]]) -> None:
    """Where what is counted, logged or scheduled for each batch would be another."""
    rows = """class Rows(torch.utils.data.IterableDataset):
    def __iter__(self):
        return iter(zip(X, Y))


"""
    card = programs.fail(*changed(BATCHES, *[(a, b.format(rows=rows)) for a, b in changes]))
    assert not card.button("accumulate")
    assert card.click("accumulate")["status"] != "ok"


STEPS = """opt.zero_grad()
for n, (x, y) in enumerate(loader):
    loss = F.mse_loss(model(x.cuda()), y.cuda()) / gradient_accumulation_steps
    loss.backward()
    if (n + 1) % gradient_accumulation_steps == 0:
        opt.step()
        opt.zero_grad()
"""


def test_what_accumulates_already_is_left_alone(programs: Programs) -> None:
    """There is no second division, nor a second counter."""
    card = programs.fail(BATCHES[0], f"{BATCHES[1]}gradient_accumulation_steps = 8\n", STEPS)
    assert "accumulate" not in {each["id"] for each in card.report["remedies"]}


@pytest.mark.parametrize(
    ("steps", "offered"),
    [("total_steps=2", False), ("total_steps=len(loader)", True)],
)
def test_a_schedule_of_a_fixed_number_of_steps(
    programs: Programs, steps: str, *, offered: bool
) -> None:
    """Smaller batches are more steps: the schedule would raise an error behind its last one."""
    made = BATCHES[1].splitlines(keepends=True)[-1]
    card = programs.fail(*changed(BATCHES, (made, ONCE.format(steps))))
    assert card.button("smaller-batch") is offered, card.remedy("smaller-batch")
    if not offered:
        assert card.why("smaller-batch") == "number.schedule"
        return
    edited = changed(tuple(card.edited("smaller-batch")), ("4096", "16"))
    assert programs.value("sched.total_steps == len(loader) > 2", *edited)


# --- Backward passes ----------------------------------------------------

SUM = (
    MODEL,
    """opt.zero_grad()
loss = 0
for n in range(rounds):
    x = torch.full((4096, 64), n / 100, device="cuda")
    loss += model(x).pow(2).mean()
loss.backward()
opt.step()
""",
)


def test_parts_of_a_sum_go_backward_by_themselves(programs: Programs) -> None:
    """The weights are those of the sum, whose number is still there; none who needs its graph."""
    card = programs.fail(*SUM, also="print(loss.item())")
    assert card.button("backward-each")
    assert card.refused("backward-each", "(loss * 2).backward()") == "backward-each.total"
    assert card.refused("backward-each", "part = 1") == "gate.bound"
    result = f"(round(float(loss), 5), {WEIGHTS})"
    few = [("rounds = ", "rounds = 3 #"), ("4096", "64")]
    total, weights = programs.value(result, *changed(SUM, *few))
    edited = changed(tuple(card.edited("backward-each")[:2]), *few)
    assert programs.value(result, *edited) == (total, pytest.approx(weights, abs=1e-6))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        (
            [
                ("loss = 0\n", "loss = 0\nw = model[0].weight.norm()\n"),
                ("+= model", "+= w * model"),
            ],
            "backward-each.name",
        ),
        ([("loss = 0\n", "loss = model[0].weight.norm()\n")], "backward-each.total"),
        ([("opt.step()\n", "twice = loss * 2\nopt.step()\n")], "backward-each.total"),
    ],
)
def test_parts_with_a_graph_in_common_stay_together(
    programs: Programs, changes: list[tuple[str, str]], reason: str
) -> None:
    """It would be gone after the first of them; nor has a sum that is read again lost its graph."""
    card = programs.fail(*changed(SUM, *changes))
    assert not card.button("backward-each")
    assert card.why("backward-each") == reason


# --- Computed twice -----------------------------------------------------

SEQUENCE = (
    f"""{START}wide = [layer for _ in range(10) for layer in (nn.Linear(512, 512), nn.Tanh())]
model = nn.Sequential(nn.Linear(64, 512), *wide, nn.Linear(512, 1)).cuda()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
rows = 1500
""",
    """x = torch.linspace(-1, 1, rows * 64).reshape(rows, 64).cuda()
loss = model(x).pow(2).mean()
opt.zero_grad()
loss.backward()
opt.step()
""",
)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ([("rows = 1500", "rows = 2048")], ""),
        ([("nn.Tanh()", "nn.BatchNorm1d(512)")], "checkpointing.class"),
    ],
)
def test_what_counts_its_passes_is_not_computed_twice(
    programs: Programs, changes: list[tuple[str, str]], reason: str
) -> None:
    """The averages of a batch norm would be those of two passes; else the weights are the same."""
    cells = changed(SEQUENCE, *changes)
    card = programs.fail(*cells)
    assert card.button("checkpointing") is (not reason)
    assert card.why("checkpointing") == reason
    if not reason:
        few = ("rows = ", "rows = 8 #")
        weights = programs.value(WEIGHTS, *changed(cells, few))
        edited = changed(tuple(card.edited("checkpointing")), few)
        assert programs.value(WEIGHTS, *edited) == pytest.approx(weights, abs=1e-6)
