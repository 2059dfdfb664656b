"""What a report names first where a batch, an earlier result or a mode is the reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.programs import START

if TYPE_CHECKING:
    from tests.programs import FailedCell, Programs

GPU = "1GiB"

CONVOLUTIONS = """model = nn.Sequential(
    nn.Conv2d(3, 32, 3, padding=1), nn.ReLU(), nn.Conv2d(32, 32, 3, padding=1), nn.ReLU()
).cuda().eval()
batch_size = 40
"""
IMAGES = 'images = torch.randn(batch_size, 3, 256, 256, device="cuda")\n'
# A copy of a batch is 635 MiB.
CLIPS = """from torch.utils.data import DataLoader, Dataset
class Clips(Dataset):
    def __len__(self):
        return 128
    def __getitem__(self, n):
        return torch.zeros(1300, 1000)
loader = DataLoader(Clips(), batch_size=128)
model = nn.Sequential(nn.Flatten(), nn.Linear(1300 * 1000, 2)).cuda()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
"""
TRAIN_CLIPS = """for clips in loader:
    clips = clips.cuda()
    loss = model(clips).mean()
    loss.backward()
    opt.step()
"""
LAYERS = """layers = [nn.Sequential(nn.Linear(1024, 1024), nn.ReLU()) for _ in range(8)]
model = nn.Sequential(*layers).cuda()
"""
PREDICT = 'pred = model(torch.randn(8000, 1024, device="cuda"))'
SECOND = 'with torch.no_grad():\n    probabilities = torch.zeros(115_000_000, device="cuda")'


def first(cell: FailedCell) -> tuple[str | None, str]:
    """Return the rule of the first cause and the sentence of its evidence, by their ids."""
    cause: dict[str, Any] | None = cell.report["cause"]
    return (None, "") if cause is None else (cause["rule"], cause["evidence"]["id"])


def test_what_a_layer_is_given_and_makes(programs: Programs) -> None:
    """Without gradients a pass keeps nothing; the batch is the reason all the same."""
    predict = f"{IMAGES}with torch.no_grad():\n    out = model(images)"
    cell = programs.fail(START + CONVOLUTIONS, predict)
    assert first(cell) == ("activations", "cause.activations.evidence_layer_batch")
    assert cell.button("smaller-batch")
    *_, start, last = ["", *cell.edited("smaller-batch")]
    assert programs.value("tuple(out.shape[1:])", start, last) == (32, 256, 256)


def test_a_pass_that_has_only_begun(programs: Programs) -> None:
    """The first layer of a training step fails: nothing is kept yet but the batch itself."""
    train = f"{IMAGES}model.train()\nloss = model(images).mean()\nloss.backward()"
    start = START + CONVOLUTIONS.replace("= 40", "= 52").replace("32", "48")
    cell = programs.fail(start, train)
    assert first(cell) == ("activations", "cause.activations.evidence_begun_batch")


def test_the_copy_of_a_batch(programs: Programs) -> None:
    """The batch's own samples do not fit: the number of its loader is theirs."""
    cell = programs.fail(START + CLIPS, TRAIN_CLIPS)
    assert first(cell)[1] == "cause.huge-request.evidence_copied"
    assert cell.button("smaller-batch")
    assert "split-request" not in {remedy["id"] for remedy in cell.report["remedies"]}


def test_a_result_of_an_earlier_cell(programs: Programs) -> None:
    """Its graph goes with one line, which is shown; then the cell passes."""
    cell = programs.fail(START + LAYERS, PREDICT, SECOND)
    assert first(cell) == ("retained-graph", "cause.retained-graph.evidence_cell")
    remedy = cell.remedy("keep-numbers")
    assert (remedy["kind"], remedy["type_this"]) == ("snippet", "pred = pred.detach()")
    *cells, last = cell.sources.values()
    assert (
        programs.value("probabilities.shape[0]", *cells, remedy["type_this"], last) == 115_000_000
    )


@pytest.mark.parametrize(
    "beside",
    [f"{PREDICT}\nif False:\n    pred.sum().backward()", f"{PREDICT}\nx = 1if pred else 0"],
)
def test_a_graph_that_is_still_needed(programs: Programs, beside: str) -> None:
    """Nothing is said of it where a cell may go backward through it, or cannot be read."""
    cell = programs.fail(START + LAYERS, PREDICT, SECOND, also=beside.replace(PREDICT, "pred = 1"))
    assert first(cell)[0] != "retained-graph"


@pytest.mark.parametrize(("mode", "named"), [("net.eval()", False), ("", True)])
def test_the_mode_of_a_wrapper_is_of_what_it_wraps(
    programs: Programs, mode: str, *, named: bool
) -> None:
    """`net.eval()` does not reach a wrapper around it, which does nothing by itself."""
    wrapper = """class Wrapper(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner
    def forward(self, x):
        return self.inner(x)
net = nn.Sequential(*[nn.Sequential(nn.Linear(1024, 1024), nn.Dropout()) for _ in range(8)])
model = Wrapper(net).cuda()
"""
    evaluate = """def evaluate():
    for n in range(3):
        out = model(torch.randn(20_000, 1024, device="cuda"))
evaluate()
"""
    cell = programs.fail(START + wrapper + mode, evaluate)
    causes = [cell.report["cause"], *cell.report["further_causes"]]
    rules = [cause["rule"] for cause in causes if cause is not None]
    assert ("evaluation-in-training-mode" in rules) is named


METER = """class Meter:
    def __init__(self):
        self.sum = self.mean = self.count = 0
    def update(self, value, n=1):
        self.sum += value * n
        self.count += n
        self.mean = self.sum / self.count
losses = Meter()
"""


def test_a_mean_that_a_method_makes_of_a_sum(programs: Programs) -> None:
    """A meter is given the loss itself: its attributes keep the graphs of all rounds."""
    evaluate = """for n in range(100):
    loss = model(torch.randn(2000, 1024, device="cuda")).mean()
    losses.update(loss)
"""
    cell = programs.fail(START + LAYERS + METER, evaluate)
    assert cell.report["cause"]["rule"] == "retained-graph"
    assert cell.report["cause"]["claim"]["params"]["name"] in ("losses.sum", "losses.mean")


def test_an_optimizer_of_a_model_that_is_no_more(programs: Programs) -> None:
    """It is to be deleted, not to be kept on the host."""
    make = "model = nn.Sequential(*[nn.Linear(1024, 1024) for _ in range(24)]).cuda()\n"
    step = """    model(torch.randn(8, 1024, device="cuda")).mean().backward()
    opt.step()
"""
    train = f"{make}opt = torch.optim.Adam(model.parameters())\nfor n in range(2):\n{step}"
    rerun = "del model\n" + train.replace("opt", "opt2").replace("opt2im", "optim")
    cell = programs.fail(START, train, rerun)
    assert first(cell) == ("kept-copies", "cause.kept-copies.evidence_optimizer")
    assert cell.remedy("delete-leftovers")["title"]["params"]["names"] == "opt"
    assert "map-location" not in {remedy["id"] for remedy in cell.report["remedies"]}


JUDGE = """import torch
from torch import nn
judge = nn.Sequential(*[nn.Conv2d(3 if n == 0 else 32, 32, 3, padding=1) for n in range(12)])
judge = judge.cuda().eval()
model = nn.Conv2d(3, 3, 3, padding=1).cuda()
opt = torch.optim.Adam(model.parameters())
for n in range(2):
    opt.zero_grad()
    loss = judge(model(torch.randn(24, 3, 128, 128).cuda())).mean()
    loss.backward()
    opt.step()
"""


def test_gradients_go_back_through_a_model_that_judges(programs: Programs) -> None:
    """It is in evaluation mode, and its graph is what trains the other: no evaluation is found."""
    cell = programs.fail(START, JUDGE)
    assert cell.report["cause"]["rule"] == "activations"
    assert "no-grad" not in {remedy["id"] for remedy in cell.report["remedies"]}


@pytest.mark.parametrize(
    "beside",
    ["batch_size = = 3", "gpu = !echo T4\nif gpu:\n    print('%s'\n      % gpu)", "%%html\n<b>1"],
)
def test_cells_that_are_no_python_leave_buttons_alone(programs: Programs, beside: str) -> None:
    """One was mistyped and never ran, one takes what a command wrote, one is another language."""
    predict = f"{IMAGES}with torch.no_grad():\n    out = model(images)"
    cell = programs.fail(START + CONVOLUTIONS, predict, also=beside)
    assert cell.button("smaller-batch")


PART_JUDGE = """class Layers(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.layers = nn.Sequential(*[nn.Linear(1024, 1024) for _ in range(count)])
    def forward(self, x):
        return self.layers(x)
maker, judge = Layers(12).cuda(), Layers(12).cuda().eval()
def step(x):
    made = maker(x)
    told = judge(made)
    meant = judge(x)
    loss = F.mse_loss(told, meant.detach())
    loss.backward()
step(torch.randn(4300, 1024, device="cuda"))
"""


def test_a_part_of_the_graph_is_not_the_whole(programs: Programs) -> None:
    """Only the last pass could go without gradients: most of the graph is what trains."""
    cell = programs.fail(START, PART_JUDGE)
    assert cell.report["cause"]["rule"] == "activations"


def test_suspended_tasks_are_no_data(programs: Programs) -> None:
    """What tasks hold is not being put there by the line that fails."""
    start = "import asyncio\ngate = asyncio.Event()\nasync def embed():\n"
    start += "    features = torch.randn(2**24, device='cuda')\n    await gate.wait()\n"
    start += "tasks = [asyncio.create_task(embed()) for n in range(12)]\nawait asyncio.sleep(0.1)"
    more = "for n in range(9):\n    embedding = torch.randn(2**24, device='cuda')\n"
    cell = programs.fail(START + start, f"{more}    tasks.append(embedding)")
    rules = [cause["rule"] for cause in (cell.report["cause"], *cell.report["further_causes"])]
    assert rules[0] == "suspended"
    assert not {"data-on-gpu", "several-tasks"} & {*rules}


def test_what_a_comprehension_collects(programs: Programs) -> None:
    """Its values have no name before it is done, and are far more than what a layer makes."""
    predict = (
        "with torch.no_grad():\n"
        "    seen = [model(torch.randn(4000, 1024, device='cuda')) for _ in range(60)]"
    )
    cell = programs.fail(START + LAYERS, predict)
    assert first(cell) == ("kept-tensors", "cause.kept-tensors.evidence_collecting")
    assert "`seen`" in cell.remedy("to-host")["title"]["text"]


FEATURES = """def features_of(x, model):
    features = {}
    for name, layer in model._modules.items():
        x = layer(x)
        features[name] = x
    return features
"""


@pytest.mark.parametrize("grad", ["", "with torch.no_grad(): "])
def test_maps_of_features_are_no_data_and_no_leak(programs: Programs, grad: str) -> None:
    """A loop through a model's parts collects what its pass made; a result of a call is no data."""
    start = (
        f"{START}{LAYERS}{FEATURES}{grad}kept = features_of(torch.randn(6000, 1024).cuda(), model)"
    )
    cell = programs.fail(start, f"{grad}features_of(torch.randn(20000, 1024).cuda(), model)")
    causes = [cell.report["cause"], *cell.report["further_causes"]]
    assert "data-on-gpu" not in {cause["rule"] for cause in causes}
    assert not [cause["rule"] for cause in causes if "`features`" in cause["claim"]["text"]]
