"""Where the code says how large a batch is, and how it is changed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from gpu_headroom.cells.runs import CellRun
from gpu_headroom.code.batch import named_batch, size_literals
from gpu_headroom.code.literals import literals_in


def cell(source: str, name: str = "failing") -> CellRun:
    """Make the run of a cell."""
    return CellRun(name, 1, source, None, 0.0)


@pytest.mark.parametrize(
    ("source", "name", "value"),
    [
        ("batch_size = 1024", "batch_size", 1024),
        ("BATCH_SIZE = 64", "BATCH_SIZE", 64),
        ("bs: int = 64", "bs", 64),
        ("lr, batch = 0.1, 32", "batch", 32),
        ("train_batch_size = 2**10", "train_batch_size", 1024),
        ("batchsize = 4 * 256", "batchsize", 1024),
        ("batch_size = 131_072", "batch_size", 131072),
        ("loader = DataLoader(data, batch_size=256, shuffle=True)", "batch_size", 256),
        ("loader = torch.utils.data.DataLoader(data, 256)", "batch_size", 256),
        ("train(model, batch_size=512)", "batch_size", 512),
        ("def train(epochs, batch_size=512): pass", "batch_size", 512),
        ("def train(*, bs=512): pass", "bs", 512),
        ("config = {'batch_size': 128, 'lr': 1}", "batch_size", 128),
        ("config = dict(batch_size=128)", "batch_size", 128),
        (
            "args = TrainingArguments('out', per_device_train_batch_size=64)",
            "per_device_train_batch_size",
            64,
        ),
        ("batch_size: int = 64", "batch_size", 64),
        ("batch_size = 2 ** 9", "batch_size", 512),
        ("batch_size = (32*1024)", "batch_size", 32768),
        ("config['batch_size'] = 128", "batch_size", 128),
        ("config.batch_size = 128", "batch_size", 128),
        ("%%time\nbatch_size = 64", "batch_size", 64),
        ("!pip list\n%matplotlib inline\nbatch_size = 64", "batch_size", 64),
        ("%run main.py --batch-size 64 --epochs 3", "batch_size", 64),
        ("%run -i main.py --epochs 100 --batchSize=64", "batchSize", 64),
        ("p.add_argument('-b', dest='bs')\nsys.argv = ['', '--lr', '1', '-b 64']", "bs", 64),
    ],
)
def test_finds_a_literal(source: str, name: str, value: int) -> None:
    """Assignments, arguments, defaults and configurations are understood."""
    (literal,) = literals_in(cell(source), source)
    assert (literal.name, literal.value) == (name, value)
    line = source.split("\n")[literal.line - 1]
    assert eval(line.encode()[literal.column : literal.end_column]) == value  # noqa: S307  it is a literal


@pytest.mark.parametrize(
    "source",
    [
        "batch_size = 1",
        "batch_size = n",
        "batch_size = int('64')",
        "batch_size = 64.0",
        "batch_size = True",
        "learning_rate = 64",
        "batches = 64",
        "batch_size = (\n    32 *\n    2)",
        "batch_size = 2**10**10",
        "# batch_size = 64",
        "text = 'batch_size = 64'",
        "print(f'{train(batch_size=64)} for batch_size = 64')",
        "for batch_size in (64, 128): pass",
        "batch_size = min(64, n)",
        "batch_size = 64 // 2",
        "loader = DataLoader(data)",
        "loader = Sampler(data, 64)",
        "def broken(:",
        "\0",
    ],
)
def test_keeps_silent_where_there_is_no_literal(source: str) -> None:
    """What is computed, commented out or spread over lines is left alone."""
    assert literals_in(cell(source), source) == []


def names(source: str, values: dict[str, Any]) -> list[tuple[str, int]]:
    """List the literals of a batch that nothing speaks against."""
    literals = size_literals(("batch",), [cell(source)], values)
    return [(literal.name, literal.value) for literal in literals]


def test_passes_over_a_name_that_has_another_value_by_now() -> None:
    """A literal that does not hold any more did not set this batch."""
    assert names("batch_size = 8", {"batch_size": 16}) == []
    assert names("batch_size = 8", {"batch_size": 8}) == [("batch_size", 8)]


def test_a_variable_contradicts_no_argument_of_that_name() -> None:
    """An argument, an entry of a dict or a local variable may differ from a global one."""
    for source in (
        "train(batch_size=8)",
        "config = {'batch_size': 8}",
        "def f():\n    batch_size = 8",
    ):
        assert names(source, {"batch_size": 16}) == [("batch_size", 8)]


class _Config:
    """A configuration of a person's own, with the value of its class."""

    batch_size = 16


@pytest.mark.parametrize(
    ("source", "config"),
    [
        ("config = {'batch_size': 8}", {"batch_size": 16}),
        ("config = {'data': {'batch_size': 8}}", {"data": {"batch_size": 16}}),
        ("config['batch_size'] = 8", {"batch_size": 16}),
        ("config = dict(batch_size=8)", {"batch_size": 16}),
        ("config = SimpleNamespace(batch_size=8)", SimpleNamespace(batch_size=16)),
        ("config.batch_size = 8", SimpleNamespace(batch_size=16)),
        ("class config:\n    batch_size = 8", _Config),
    ],
)
def test_passes_over_an_entry_that_has_another_value_by_now(source: str, config: Any) -> None:
    """A configuration, changed after it was written down."""
    assert names(source, {"config": config}) == []
    assert names(source, {"config": None}) == [("batch_size", 8)]


def test_an_option_counts_only_where_no_list_gives_it() -> None:
    """The default of an option that is passed does not hold."""
    source = "p.add_argument('--batch-size', default=8)\n"
    assert names(f"{source}a = p.parse_args([])", {}) == [("batch_size", 8)]
    assert names(f"{source}a = p.parse_args(['--batch-size', '16'])", {}) == [("batch_size", 16)]


def test_asks_no_object_for_its_attributes() -> None:
    """A property is not called, nor the key of a dict compared."""

    class Loud:
        def __hash__(self) -> int:
            return hash("batch_size")

        def __eq__(self, other: object) -> bool:
            raise AssertionError

        @property
        def batch_size(self) -> int:
            raise AssertionError

        def __getattr__(self, name: str) -> Any:
            raise AssertionError

    for config in (Loud(), {Loud(): 16}):
        assert names("config.batch_size = 8", {"config": config}) == [("batch_size", 8)]


def test_warns_of_nothing_in_the_users_code() -> None:
    """Python has warned of a cell when it ran; looking at it warns no second time."""
    source = "pattern = '\\d'\nbatch_size = 64"
    assert len(literals_in(cell(source), source)) == 1  # a warning would be an error here


OPTIONS = """p = argparse.ArgumentParser()
p.add_argument("-b", "--batch-size", "--batch-size-per-gpu", type=int)
args = p.parse_args()"""


@pytest.mark.parametrize("argv", ["['x', '-b', '64']", "'x -b 64'.split()", "['x', '-b=64']"])
def test_a_command_line_says_what_another_cell_calls_it(argv: str) -> None:
    """`-b` is the option's first long form, and `sys.argv` leads to who parses it."""
    cells = [cell(f"sys.argv = {argv}", "argv"), cell(OPTIONS, "options")]
    (literal,) = size_literals(("batch",), [*cells, cell("train(args)")], {})
    assert (literal.name, literal.value, literal.cell.key) == ("batch_size", 64, "argv")


@pytest.mark.parametrize(
    ("sources", "failing", "expected"),
    [
        (["batch_size = 512"], "step(batch_size)", 512),
        (["batch_size = 512"], "batch_size = 64\nstep(batch_size)", 64),
        (["batch_size = 512", "val_batch_size = 64"], "step()", 512),
        (["batch_size = 512", "bs = 64"], "step()", None),
        (["batch_size = 512", "batch_size = 64"], "step()", None),
        ([], "step()", None),
    ],
)
def test_names_alone_tell_only_where_there_is_one(
    sources: list[str], failing: str, expected: int | None
) -> None:
    """Of the cell that is asked about, else of the whole notebook."""
    cells = [cell(source, str(n)) for n, source in enumerate([*sources, failing])]
    literal = named_batch(size_literals(("batch",), cells, {}), cells[-1])
    assert (literal and literal.value) == expected
