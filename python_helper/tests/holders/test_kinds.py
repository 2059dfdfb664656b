"""Every kind of holder on a simulated GPU, with the bytes that theory gives it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from gpu_headroom.text.format import KIB, MIB
from tests.holders.conftest import sizes

if TYPE_CHECKING:
    from tests.holders.conftest import Measure
    from tests.notebook import Notebook

WEIGHT, BIAS = 4 * MIB, 4 * KIB  # of Linear(1024, 1024) in float32
EIGHT_MIB = {
    "a variable": "x = tensor(8)",
    "a list": "x = [tensor(8)]",
    "a dictionary": "x = {'a': tensor(8)}",
    "a key": "x = {tensor(8): 'a'}",
    "nested containers": "x = {'a': [{'b': ({'c': [[tensor(8)]]},)}]}",
    "a long container of containers": (
        "x = [[[n]] for n in range(5_000)]\nx[4_999][0].append(tensor(8))"
    ),
    "a long dictionary of objects": (
        "class Row: pass\nx = {n: Row() for n in range(5_000)}\nx[4_321].inner = tensor(8)"
    ),
    "a dataclass with slots": (
        "@dataclasses.dataclass(slots=True)\nclass Box:\n    inner: object\nx = Box(tensor(8))"
    ),
    "an attribute": "class Any_: pass\nx = Any_()\nx.inner = tensor(8)",
    "a slot": "class Slots:\n    __slots__ = ('inner',)\nx = Slots()\nx.inner = tensor(8)",
    "the body of a class": "class x:\n    cache = [tensor(8)]",
    "a closure": "def make():\n    t = tensor(8)\n    return lambda: t\nx = make()",
    "a default": "def x(t=tensor(8)): pass",
    "a decorated function": (
        "def keep(function):\n    t = tensor(8)\n    @functools.wraps(function)\n"
        "    def inner(): return t, function()\n    return inner\n@keep\ndef x(): pass"
    ),
    "a partial": "x = functools.partial(print, tensor(8))",
    "a bound method": (
        "class Any_:\n    def run(self): pass\nx = Any_()\nx.t = tensor(8)\nx = x.run"
    ),
    "an unbounded cache": "@functools.cache\ndef x(n): return {'t': tensor(n)}\nx(8);",
    "a generator": "def numbers():\n    t = tensor(8)\n    yield 1\nx = numbers()\nfirst = next(x)",
    "an iterator": "x = iter([tensor(8)])",
    "an error": (
        "def fail():\n    t = tensor(8)\n    raise ValueError\n"
        "try: fail()\nexcept ValueError as error: x = error"
    ),
    "views": "x = tensor(8)\ny = x[100:]\nz = [x.view(2, -1)]",
    "a tensor without gradients of another": "x = tensor(8)\ny = x.detach()",
    "an attribute of a tensor": "x = torch.zeros(1)\nx.kept = tensor(8)",
}


@pytest.mark.parametrize("source", EIGHT_MIB.values(), ids=EIGHT_MIB)
def test_finds_a_tensor_wherever_python_keeps_it(measure: Measure, source: str) -> None:
    """A storage is counted once, for the name it was first reached through."""
    assert sizes(measure(source)) == {"x": 8 * MIB}


def test_does_not_reach_the_builtins_through_a_function(
    measure: Measure, notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kernel's `input` leads to the whole shell: no function holds what is behind it."""
    measure("x = tensor(8)\nclass Kernel:\n    def raw_input(self): pass")
    kernel = notebook.shell.user_ns.pop("Kernel")()
    kernel.kept = notebook.shell.user_ns.pop("x")
    monkeypatch.setattr("builtins.input", kernel.raw_input)
    assert sizes(measure("def first(): pass")) == {}


def test_tells_parameters_gradients_and_state_apart(measure: Measure) -> None:
    """After a step of training each kind has the bytes that theory gives it."""
    account = measure(
        "model = nn.Sequential(nn.Linear(1024, 1024), nn.BatchNorm1d(1024)).cuda()\n"
        "optimizer = torch.optim.AdamW(model.parameters())\n"
        "model(torch.randn(256, 1024, device='cuda')).sum().backward()\n"
        "optimizer.step()"
    )
    totals: dict[tuple[str, str], int] = {}
    for row in account.devices[0].rows:
        for part in row.parts:
            key = row.name, part.held[0].kind
            totals[key] = totals.get(key, 0) + part.bytes
    parameters = WEIGHT + 3 * BIAS
    buffers = 2 * BIAS + 512  # mean, variance, and the count of batches
    assert totals == {
        ("model", "parameters"): parameters + buffers,
        ("model", "gradients"): parameters,
        ("optimizer", "optimizer_state"): 2 * parameters,
    }
    assert [row.kind for row in account.devices[0].rows] == ["mixed", "optimizer_state"]


def test_finds_a_gradient_that_was_asked_to_be_kept(measure: Measure) -> None:
    """`retain_grad` keeps the gradient of a result, too."""
    account = measure(
        "x = torch.ones(1024, 1024, device='cuda', requires_grad=True)\n"
        "y = x * 2\ny.retain_grad()\ny.sum().backward()"
    )
    assert sizes(account) == {"x": 2 * WEIGHT, "y": 2 * WEIGHT}


def test_hangs_what_only_a_graph_keeps_on_its_tensor(measure: Measure) -> None:
    """The bytes of a graph are the holder's, marked as a graph's."""
    account = measure(
        "model = nn.Sequential(nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 1)).cuda()\n"
        "losses = [model(torch.randn(1024, 1024, device='cuda')).sum() for _ in range(3)]"
    )
    row = next(row for row in account.devices[0].rows if row.name == "losses")
    # The input and the result of ReLU are saved: 4 MiB each and per step.
    assert row.graph_bytes == 3 * 2 * WEIGHT
    assert row.bytes == row.graph_bytes + 3 * 512
    assert [part.name for part in row.parts if part.held[0].graph] == ["[0]", "[1]", "[2]"]


def test_finds_the_graph_behind_a_value_on_the_host(measure: Measure) -> None:
    """`loss.cpu()` keeps the activations of its step on the GPU."""
    account = measure(
        "w = torch.ones(1024, 1024, device='cuda', requires_grad=True)\n"
        "host = [(w * torch.ones_like(w)).sum().cpu()]"
    )
    (device,) = account.devices
    assert {row.name: row.graph_bytes for row in device.rows} == {"w": 0, "host": WEIGHT}


def test_finds_what_a_custom_function_keeps(measure: Measure) -> None:
    """Saved tensors and attributes of `ctx` alike."""
    account = measure(
        "class Twice(torch.autograd.Function):\n"
        "    @staticmethod\n    def forward(ctx, x):\n"
        "        ctx.save_for_backward(tensor(8)); ctx.other = tensor(16); return x * 2\n"
        "    @staticmethod\n    def backward(ctx, g): return g\n"
        "x = torch.ones(1, device='cuda', requires_grad=True)\ny = Twice.apply(x)"
    )
    assert sizes(account)["y"] == 24 * MIB + 512


def test_gives_outputs_and_tracebacks_only_what_no_name_holds(
    notebook: Notebook, measure: Measure
) -> None:
    """Names come first, then displayed values, then the variables of a failed cell."""
    notebook.run("tensor(16)")
    number = notebook.shell.execution_count
    notebook.run("def work(given):\n    own = tensor(32)\n    1 / 0\nx = tensor(8)\nwork(x)")
    account = measure("pass")
    assert sizes(account) == {"x": 8 * MIB}
    assert sizes(account, "outputs") == {f"Out[{number - 1}]": 16 * MIB}
    assert sizes(account, "traceback") == {f"In [{number}]": 32 * MIB}
    (row,) = (row for row in account.devices[0].rows if row.origin == "traceback")
    assert [part.name for part in row.parts] == ["own in work"]


def test_finds_what_no_name_reaches(measure: Measure) -> None:
    """A model in a cycle of garbage is known to the gc, and shown by its class."""
    account = measure(
        "import gc; gc.disable()\n"
        "model = nn.Sequential(nn.Linear(1024, 1024)).cuda()\nmodel.itself = [model]\n"
        "del model\ngc.enable()"
    )
    (row,) = account.devices[0].rows
    assert (row.origin, row.name, row.type_name) == ("garbage", "", "Sequential")
    assert row.bytes == account.devices[0].parts["unnamed"] == WEIGHT + BIAS


MODEL = "class Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n"


@pytest.mark.parametrize(
    ("source", "name", "size"),
    [
        ("x = torch.nn.ParameterList([nn.Parameter(tensor(8).float())])", "x", 32 * MIB),
        (f"{MODEL}        self.register_buffer('kept', tensor(8))\nx = Model()", "x", 8 * MIB),
        (f"{MODEL}        self.cache = {{'a': [tensor(8)]}}\nx = Model()", "x", 8 * MIB),
        (
            (
                "x = nn.Linear(8, 8)\nkept = tensor(8)\n"
                "x.register_forward_hook(functools.partial(print, kept))\ndel kept"
            ),
            "x",
            8 * MIB,
        ),
        (
            (
                "data = tensor(8).view(8, -1), tensor(1).view(8, -1)\n"
                "data = torch.utils.data.TensorDataset(*data)\n"
                "x = torch.utils.data.DataLoader(data, batch_size=4)\ndel data"
            ),
            "x",
            9 * MIB,
        ),
        ("x = nn.utils.rnn.pack_sequence([tensor(8).float()])", "x", 32 * MIB),
    ],
    ids=["parameter list", "buffer", "attribute of a module", "hook", "data loader", "sequence"],
)
def test_finds_what_pytorch_keeps(measure: Measure, source: str, name: str, size: int) -> None:
    """Lists of parameters, buffers, hooks, data loaders."""
    totals = sizes(measure(source))
    assert totals[name] == size


def test_counts_half_precision_and_integers(measure: Measure) -> None:
    """Bytes are those of the type."""
    account = measure(
        "half = torch.empty(1024, 1024, dtype=torch.float16, device='cuda')\n"
        "wide = torch.empty(1024, 1024, dtype=torch.int64, device='cuda')"
    )
    assert sizes(account) == {"half": 2 * MIB, "wide": 8 * MIB}
    parts = [part for row in account.devices[0].rows for part in row.parts]
    assert {part.as_wire(None)["dtype"] for part in parts} == {"float16", "int64"}
