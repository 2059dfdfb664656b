"""Numbers of a batch, an input or an image: found wherever people write them, and set there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from gpu_headroom.cells.runs import CellRun
from gpu_headroom.code.literals import literals_in
from gpu_headroom.edits.number import set_number
from tests.edits.cases import check, refuses_hostile, shuffled

if TYPE_CHECKING:
    from gpu_headroom.code.size_names import Role

BATCH = [
    ("batch_size = 64", "batch_size = 32"),
    ("a = batch_size = 64", "a = batch_size = 32"),
    ("lr, (bs, n) = 0.1, (64, 64)", "lr, (bs, n) = 0.1, (32, 64)"),
    ("if True:\n    batch_size = 64  # größer", "if True:\n    batch_size = 32  # größer"),
    ("ä = 'größe'; batch_size = 64", "ä = 'größe'; batch_size = 32"),
    ("batch_size = 2**6; x = 2**6", "batch_size = 32; x = 2**6"),
    ("batch_size = (16*4)  # 32*1024", "batch_size = (32)  # 32*1024"),
    (
        "print('64'); batch_size = 64; print(f'{64}')",
        "print('64'); batch_size = 32; print(f'{64}')",
    ),
    ("loader = DataLoader(data[:64], 64)", "loader = DataLoader(data[:64], 32)"),
    ("batch_size: int = 64", "batch_size: int = 32"),
    ("def train(epochs=64, batch_size=64): pass", "def train(epochs=64, batch_size=32): pass"),
    ("c = dict(lr=64, batch_size=64)", "c = dict(lr=64, batch_size=32)"),
    (
        "DataLoader(d, batch_size=64, num_workers=64)",
        "DataLoader(d, batch_size=32, num_workers=64)",
    ),
    ("!pip list\n%matplotlib inline\nbs = 64", "!pip list\n%matplotlib inline\nbs = 32"),
    (
        "c = {\n    'model': {'width': 64},\n    'data': {'batch_size': 64},  # rows\n}",
        "c = {\n    'model': {'width': 64},\n    'data': {'batch_size': 32},  # rows\n}",
    ),
    ("config['train']['batch_size'] = 64", "config['train']['batch_size'] = 32"),
    ("args.batch_size = 64", "args.batch_size = 32"),
    (
        "args = SimpleNamespace(lr=1e-3, batch_size=64)",
        "args = SimpleNamespace(lr=1e-3, batch_size=32)",
    ),
    (
        "@dataclass\nclass Config:\n    lr: float = 0.1\n    batch_size: int = 64",
        "@dataclass\nclass Config:\n    lr: float = 0.1\n    batch_size: int = 32",
    ),
    ("class Config:\n    batch_size = 64", "class Config:\n    batch_size = 32"),
    (
        "parser.add_argument('-b', '--batch-size', type=int, default=64)",
        "parser.add_argument('-b', '--batch-size', type=int, default=32)",
    ),
    (
        "flags.DEFINE_integer('batch_size', 64, 'rows')",
        "flags.DEFINE_integer('batch_size', 32, 'rows')",
    ),
    (
        "args = parser.parse_args(['--lr', '64', '--batch-size', '64'])",
        "args = parser.parse_args(['--lr', '64', '--batch-size', '32'])",
    ),
    (
        "a = p.parse_args('--lr 1 --batch_size 64'.split())",
        "a = p.parse_args('--lr 1 --batch_size 32'.split())",
    ),
    ("sys.argv = ['train.py', '--batch-size=64']", "sys.argv = ['train.py', '--batch-size=32']"),
    (
        'config = yaml.safe_load("""\ntrain:\n  größe: 64\n  batch_size: 64  # rows\n""")',
        'config = yaml.safe_load("""\ntrain:\n  größe: 64\n  batch_size: 32  # rows\n""")',
    ),
    (
        'c = json.loads(\'{"batch_size": 64, "lr": 1}\')',
        'c = json.loads(\'{"batch_size": 32, "lr": 1}\')',
    ),
    ("TEXT = '''\ntrain_batch_size: 64\n'''", "TEXT = '''\ntrain_batch_size: 32\n'''"),
    (
        "def train(model, data, batch_size):\n    pass\n\ntrain(model, data, 64)",
        "def train(model, data, batch_size):\n    pass\n\ntrain(model, data, 32)",
    ),
    (
        "history = model.fit(x, y, epochs=64, batch_size=64)",
        "history = model.fit(x, y, epochs=64, batch_size=32)",
    ),
    (
        "args = TrainingArguments(\n    'out',\n    per_device_train_batch_size=64,\n)",
        "args = TrainingArguments(\n    'out',\n    per_device_train_batch_size=32,\n)",
    ),
    ("dm = DataModule('data', batch_size=64)", "dm = DataModule('data', batch_size=32)"),
    ("for x in X.split(64): step(x, 64)", "for x in X.split(32): step(x, 64)"),
    ("ppo = PPOConfig(mini_batch_size=64)", "ppo = PPOConfig(mini_batch_size=32)"),
]
OTHER_ROLES: list[tuple[Role, str, str]] = [
    ("length", "enc = tokenizer(text, max_length=64)", "enc = tokenizer(text, max_length=32)"),
    ("length", "block_size = 64", "block_size = 32"),
    ("length", "c = GPTConfig(vocab_size=64, n_ctx=64)", "c = GPTConfig(vocab_size=64, n_ctx=32)"),
    ("length", "seq_len, hidden_size = 64, 64", "seq_len, hidden_size = 32, 64"),
    ("length", "x = pad_sequences(x, maxlen=64)", "x = pad_sequences(x, maxlen=32)"),
    (
        "length",
        "out = model.generate(ids, max_new_tokens=64)",
        "out = model.generate(ids, max_new_tokens=32)",
    ),
    ("image", "img_size = 64", "img_size = 32"),
    ("image", "IMAGE_SIZE = (64, 64)", "IMAGE_SIZE = (32, 32)"),
    (
        "image",
        "t = T.Compose([T.Resize((64, 64)), T.ToTensor()])",
        "t = T.Compose([T.Resize((32, 32)), T.ToTensor()])",
    ),
    ("image", "t = transforms.Resize(64)", "t = transforms.Resize(32)"),
    ("image", "t = transforms.Resize(size=[64, 64])", "t = transforms.Resize(size=[32, 32])"),
    ("image", "m = ResNet(input_shape=(64, 64, 3))", "m = ResNet(input_shape=(32, 32, 3))"),
    ("image", "model.train(data='coco.yaml', imgsz=64)", "model.train(data='coco.yaml', imgsz=32)"),
]


def rewritten(source: str, role: Role = "batch") -> str | None:
    """Halve the only literal of a role in a cell."""
    (literal,) = literals_in(CellRun("cell", 1, source, None, 0.0), source, role)
    return set_number(literal, 32)(source)


@pytest.mark.parametrize(("before", "after"), BATCH)
def test_sets_the_batch(before: str, after: str) -> None:
    """And nothing else that is 64, too."""
    (literal,) = literals_in(CellRun("cell", 1, before, None, 0.0), before)
    check(set_number(literal, 32), before, after)


@pytest.mark.parametrize(("role", "before", "after"), OTHER_ROLES)
def test_sets_the_length_and_the_image(role: Role, before: str, after: str) -> None:
    """Each number has one role."""
    (literal,) = literals_in(CellRun("cell", 1, before, None, 0.0), before, role)
    assert literals_in(literal.cell, before) == []
    check(set_number(literal, 32), before, after)


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("def train(model, n, epochs): pass\ntrain(model, 2048, 30)", ["n"]),
        ("samples = 4096", ["samples"]),
        ("n, hidden_size, num_workers, epochs, lr = 512, 512, 64, 64, 100", ["n", "lr"]),
        ("n = 8", ["n"]),
        ("batch_size, max_length, img_size = 64, 64, 64", []),
        ("config = '''\nn: 64\n'''", []),
    ],
)
def test_a_name_that_says_nothing(source: str, names: list[str]) -> None:
    """Only what has so many rows can say that it sets them."""
    literals = literals_in(CellRun("cell", 1, source, None, 0.0), source, "unnamed")
    assert [literal.name for literal in literals] == names


def test_both_sides_of_an_image() -> None:
    """A height alone is that of anything; beside a width it is an image's."""
    source = "images = pipe(prompt, height=64, width=64).images"
    cell = CellRun("cell", 1, source, None, 0.0)
    high, wide = literals_in(cell, source, "image")
    result = set_number(high, 32)(source)
    assert result is not None
    assert set_number(wide, 32)(result) == source.replace("64", "32")
    assert literals_in(cell, "width = 64", "image") == []


@pytest.mark.parametrize(
    "name",
    [
        "num_batches",
        "num_batch",
        "batch_idx",
        "batch_index",
        "n_batches",
        "batch_norm",
        "log_every_batch",
        "batch_count",
        "max_batches",
        "steps_per_batch",
        "batches",
        "input_size",
        "hidden_size",
        "patch_size",
        "max_size",
        "length",
        "max_depth",
    ],
)
def test_a_name_with_a_word_in_it_is_not_a_size(name: str) -> None:
    """How many batches there are, and which it is, says nothing about how large one is."""
    source = f"{name} = 64"
    for role in ("batch", "length", "image"):
        assert literals_in(CellRun("cell", 1, source, None, 0.0), source, role) == []


@pytest.mark.parametrize(
    "source",
    [
        "'''batch_size: 64\nlr: 1'''",
        "print('batch_size: 64')",
        "def f():\n    '''Train.\n\n    batch_size: 64\n    '''",
        "text = '''use batch_size: 64 or more'''",
        "x = f'''\nbatch_size: 64\n'''",
        "run(['--batch-size', n])",
        "parser.add_argument('--epochs', default=64)",
        "loader = DataLoader(*args, 64)",
    ],
)
def test_texts_and_calls_that_set_none(source: str) -> None:
    """A docstring, a message, another option."""
    assert literals_in(CellRun("cell", 1, source, None, 0.0), source) == []


@pytest.mark.parametrize(
    "source",
    ["batch_size = 65", "batch_size = n", "x = 1", "batch_size = 64)", "batch_size = 32", ""],
)
def test_refuses_a_line_that_is_another_by_now(source: str) -> None:
    """Nothing is replaced unless the literal stands there and the cell parses afterwards."""
    (literal,) = literals_in(CellRun("cell", 1, "batch_size = 64", None, 0.0), "batch_size = 64")
    assert set_number(literal, 32)(source) is None


def test_what_is_split_in_step_is_set_together() -> None:
    """Inputs and targets have to have as many rows."""
    source = "for x, y in zip(X.split(64), y.split(64)):\n    step(x, y.split(64))"
    literal = literals_in(CellRun("cell", 1, source, None, 0.0), source)[0]
    after = "for x, y in zip(X.split(32), y.split(32)):\n    step(x, y.split(64))"
    assert set_number(literal, 32)(source) == after
    assert set_number(literal, 32)(after) is None


def test_a_positional_argument_of_another_cells_function() -> None:
    """What it is called is told."""
    source = "train(model, 64)"
    cell = CellRun("cell", 1, source, None, 0.0)
    (literal,) = literals_in(cell, source, signatures={"train": {1: "batch_size"}})
    assert (literal.name, literal.kind) == ("batch_size", "argument")
    check(set_number(literal, 32), source, "train(model, 32)")


def test_keeps_the_way_a_number_is_written() -> None:
    """Digits in groups stay so."""
    source = "batch_size = 131_072"
    (literal,) = literals_in(CellRun("cell", 1, source, None, 0.0), source)
    assert set_number(literal, 65536)(source) == "batch_size = 65_536"


@pytest.mark.parametrize("seed", range(20))
def test_whatever_stands_around_it(seed: int) -> None:
    """Comments and blank lines between."""
    before = shuffled("import os\nif os:\n    batch_size = 64\nprint(1)", seed)
    assert rewritten(before) == before.replace("64", "32")


def test_takes_any_text() -> None:
    """Hostile cells raise nothing."""
    (literal,) = literals_in(CellRun("cell", 1, "batch_size = 64", None, 0.0), "batch_size = 64")
    refuses_hostile(set_number(literal, 32))
