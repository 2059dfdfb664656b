"""What running a cell again would repeat, read off its code."""

from __future__ import annotations

import pytest
from gpu_headroom.code.parsing import LONGEST
from gpu_headroom.edits.side_effects import caution

REPEATS = [
    ("torch.save(model.state_dict(), 'model.pt')", "torch.save"),
    ("open('log.txt', 'w').write('x')", "write, open"),
    ("Path('x').write_text('y')", "write_text"),
    ("for x in y:\n    wandb.log({'loss': 1})", "wandb.log"),
    ("answer = requests.post(url, json={})", "requests.post"),
    ("!pip install x\n%matplotlib inline", "!pip"),
    ("name = input('Name? ')", "input"),
    ("def f():\n    torch.save(x, y)\nf()", "torch.save"),
    ("a.save(1); b.save(1); c.save(1); d.save(1)", "a.save, b.save, c.save, d.save"),
    (
        "\n".join(f"a{n}.save()" for n in range(13)),
        ", ".join(f"a{n}.save" for n in range(12)) + ", …",
    ),
    # Found by review: none of these is known by its name.
    ("con.execute('INSERT INTO runs VALUES (1)')", "con.execute"),
    ("con = connect('runs.db')\ncon.execute('INSERT INTO runs VALUES (1)')", "con.execute"),
    ("publish(model)", "publish"),
    ("await client.send(x)", "client.send"),
    ("state.runs += 1", "state.runs"),
    ("counts[name] += 1", "counts[name]"),
    ("count += 1", "count"),
    ("heapq.heappush(heap, x)", "heapq.heappush"),
    ("heappush(heap, x)", "heappush"),
    ("counter.update(words)", "counter.update"),
    ("history.append(loss)", "history.append"),
    ("def f(h):\n    h.append(1)\nf(history)", "h.append"),
    ("ema.lerp_(w, 0.1)", "ema.lerp_"),
    ("def f(rank):\n    torch.save(x, y)\nspawn(f, nprocs=2)", "torch.save"),
    ("def f(h):\n    h.append(1)\nstart_processes(f, (history,))", "h.append"),
]
SILENT = [
    "model.train()\nloss = model(x).sum()\nloss.backward()\nopt.step()\nopt.zero_grad()",
    "for x in tqdm(loader):\n    bar.update(1)\n    bar.set_postfix(loss=1)\n    scaler.update()",
    "print(x); display(x); plt.plot(x); ax.set_title('y'); plt.show(); sns.heatmap(x)",
    "trainer.fit(model); trainer.train(); model.eval(); model.to('cuda')",
    "open('data.txt').read()\nx = open('data.txt', 'r', encoding='utf-8')",
    "torch.manual_seed(0); gc.collect(); torch.cuda.empty_cache(); time.sleep(1)",
    "logging.info('x'); logger.warning('y'); warnings.simplefilter('ignore')",
    "history = []\nhistory.append(1)\ntotal = 0\ntotal += 1",
    "parser = ArgumentParser()\nparser.add_argument('x')\nw = ones(2)\nw.mul_(2)",
    "def f(h):\n    h.append(1)\n    n = 0\n    n += 1\nhistory = []\nf(history)",
    "class Meter:\n    def add(self, x):\n        self.n += x\nm = Meter()\nm.add(1)",
    "sys.stdout.write('x')",
    "def save():\n    torch.save(x, y)",
    "%matplotlib inline\n%%time\nif a != b:\n    pass",
    "y = session.query(x)",
    "net(x)",
    "torch.cuda.set_device(0); dist.init_process_group('gloo'); dist.barrier()",
    "def f(rank):\n    loss.backward()\nnotebook_launcher(f, num_processes=2)",
]


@pytest.mark.parametrize(("source", "calls"), REPEATS)
def test_names_what_would_be_repeated(source: str, calls: str) -> None:
    """Whatever has no value that is kept and is not known to be harmless."""
    message = caution(["a"], {"a": source})
    assert message is not None
    assert (message["id"], message["params"]["calls"]) == ("fix.caution", calls)


@pytest.mark.parametrize("source", SILENT)
def test_is_silent_where_nothing_is_repeated(source: str) -> None:
    """Computing is what a try is for, as is what the same cells make again."""
    assert caution(["a"], {"a": source}, models={"net"}) is None


def test_looks_into_the_functions_of_other_cells() -> None:
    """Only those that the cells call, however they call each other."""
    sources = {
        "a": "train()",
        "b": "def train():\n    keep(); train()\ndef other():\n    torch.save(x, y)",
        "c": "def keep():\n    model.save_pretrained('x')",
        "d": "torch.save(x, y)",
    }
    message = caution(["a"], sources)
    assert message is not None
    assert message["params"]["calls"] == "model.save_pretrained"
    assert caution(["a", "gone"], {"a": "train()", "d": sources["d"]}) is None


def test_says_what_it_could_not_read() -> None:
    """A text that is too long, or no code."""
    for source in ("x = (", "x\n" * LONGEST):
        message = caution(["a"], {"a": source})
        assert message is not None
        assert message["id"] == "fix.caution_unread"
