"""What running a cell again would repeat, read off its code."""

from __future__ import annotations

import pytest
from gpu_headroom.code.parsing import LONGEST
from gpu_headroom.code.side_effects import caution

REPEATS = [
    ("torch.save(model.state_dict(), 'model.pt')", "torch.save"),
    ("open('log.txt', 'w').write('x')", "write, open"),
    ("open('log.txt', mode='ab')", "open"),
    ("Path('x').open('w')", "open"),
    ("Path('x').write_text('y')", "write_text"),
    ("frame[0].to_csv('x.csv')", "to_csv"),
    ("plt.savefig('x.png')", "plt.savefig"),
    ("json.dump(d, f)", "json.dump"),
    ("for x in y:\n    wandb.log({'loss': 1})", "wandb.log"),
    ("writer.add_scalar('loss', 1)", "writer.add_scalar"),
    ("requests.post(url, json={})", "requests.post"),
    ("os.system('ls')\nsubprocess.run(['ls'])", "os.system, subprocess.run"),
    ("!pip install x\n%matplotlib inline", "!pip"),
    ("%%bash\necho x", "%%bash"),
    ("name = input('Name? ')", "input"),
    ("def f():\n    torch.save(x, y)\nf()", "torch.save"),
    ("class A:\n    torch.save(x, y)", "torch.save"),
    ("a.save(1); b.save(1); c.save(1); d.save(1)", "a.save, b.save, c.save"),
]
DRAWS = [
    ("for x in tqdm(loader):\n    step(x)", "tqdm"),
    ("for x in tqdm.notebook.trange(3):\n    step(x)", "tqdm.notebook.trange"),
    ("trainer.train()", "trainer.train"),
    ("model.fit(x, y)", "model.fit"),
]
SILENT = [
    "model.train()\nloss = model(x).sum()\nloss.backward()",
    "open('data.txt').read()",
    "open('data.txt', 'r', encoding='utf-8')",
    "f = Path('x').open()",
    "x = x.to('cuda'); x.copy_(y); d.update(a)",
    "torch.log(x); math.log(2); d.remove(1); text.replace('a', 'b'); pool.submit(f)",
    "sys.stdout.write('x')",
    "def save():\n    torch.save(x, y)",
    "model.fit(x, y, verbose=0)",
    "%matplotlib inline\n%%time\nif a != b:\n    pass",
    "session.query(x)",
]


@pytest.mark.parametrize(("source", "calls"), REPEATS)
def test_names_what_would_be_repeated(source: str, calls: str) -> None:
    """Files, messages, commands and questions, the first three."""
    said = caution(["a"], {"a": source})
    assert said is not None
    assert said["id"] == "fix.caution"
    assert said["params"]["calls"] == calls


@pytest.mark.parametrize(("source", "calls"), DRAWS)
def test_names_progress_bars(source: str, calls: str) -> None:
    """They would be drawn again."""
    said = caution(["a"], {"a": source})
    assert said is not None
    assert (said["id"], said["params"]["calls"]) == ("fix.caution_progress", calls)


@pytest.mark.parametrize("source", SILENT)
def test_is_silent_where_nothing_is_repeated(source: str) -> None:
    """Reading and computing is what a try is for."""
    assert caution(["a"], {"a": source}) is None


def test_looks_into_the_functions_of_other_cells() -> None:
    """Only those that the cells call, however they call each other."""
    sources = {
        "a": "train()",
        "b": "def train():\n    keep(); train()\ndef other():\n    torch.save(x, y)",
        "c": "def keep():\n    model.save_pretrained('x')",
        "d": "torch.save(x, y)",
    }
    said = caution(["a"], sources)
    assert said is not None
    assert said["params"]["calls"] == "model.save_pretrained"
    assert caution(["a", "gone"], {"a": "train()", "d": sources["d"]}) is None


def test_says_what_it_could_not_read() -> None:
    """A text that is too long, or no code."""
    for source in ("x = (", "x\n" * LONGEST):
        said = caution(["a"], {"a": source})
        assert said is not None
        assert said["id"] == "fix.caution_unread"
