"""What is kept over the steps of a loop: a value without its graph, or on the host."""

from __future__ import annotations

import pytest
from gpu_headroom.edits.keep_numbers import detached_leaf, detached_state, entries_kept, kept
from tests.edits.cases import check, objection, refuses_hostile, shuffled, table

LOOP = """losses = []
for x, y in loader:
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.step()
    {0}
print(sum(losses))"""
DETACHED = table(
    """
losses.append(loss)
--->
losses.append(loss.detach())
====
losses.append(loss / len(x))
--->
losses.append((loss / len(x)).detach())
====
losses.append(f(model(x), y))  # ö
--->
losses.append(f(model(x), y).detach())  # ö
====
for step, x in enumerate(data):
    loss.backward()
    losses.append((step, loss))
--->
for step, x in enumerate(data):
    loss.backward()
    losses.append((step, loss.detach()))
====
loss.backward()
losses.append({'loss': loss, 'n': 3})
--->
loss.backward()
losses.append({'loss': loss.detach(), 'n': 3})
====
loss.backward()
losses.extend([loss, loss])
--->
loss.backward()
losses.extend([loss.detach(), loss.detach()])
====
losses += loss
--->
losses += loss.detach()
====
losses += loss * x.size(0)
--->
losses += (loss * x.size(0)).detach()
====
losses = losses + loss
--->
losses = losses + loss.detach()
====
losses = loss + losses
--->
losses = loss.detach() + losses
====
losses[k] = out
--->
losses[k] = out.detach()
====
losses = [model(x) for x in loader]
--->
losses = [model(x).detach() for x in loader]
====
losses = {k: model(k) for k in ks}
--->
losses = {k: model(k).detach() for k in ks}
====
losses = torch.cat([losses, out])
--->
losses = torch.cat([losses, out.detach()])
====
losses["a"].append(loss)
--->
losses["a"].append(loss.detach())
====
losses[name].append(loss)
--->
losses[name].append(loss.detach())
====
losses.setdefault(k, []).append(loss)
--->
losses.setdefault(k, []).append(loss.detach())
====
losses.appendleft(out)
--->
losses.appendleft(out.detach())
====
losses.append(
    out,  # last
)
--->
losses.append(
    out.detach(),  # last
)
====
losses.append(await loss)
--->
losses.append((await loss).detach())
====
losses.append(loss.item())
====
losses.append(float(loss))
====
losses.append(loss.detach())
====
losses.append(loss.data)
====
other.append(loss)
====
losses.append((a, b))
====
losses.append(a)
losses.append(b)
====
losses.append(a if b else c)
====
row = []
losses.append(row)
====
n = len(x)
losses.append(n)
====
f'{losses.append(x)}
"""
)
ON_HOST = table(
    """
losses.append(loss.detach())
--->
losses.append(loss.detach().cpu())
====
losses.append(out)
--->
losses.append(out.detach().cpu())
====
losses = out if losses is None else torch.cat([losses, out])
====
losses.append(loss.cpu().numpy())
"""
)


@pytest.mark.parametrize(("before", "after"), DETACHED)
def test_keeps_no_graph(before: str, after: str | None) -> None:
    """Wherever it is put; what is no tensor, or may be none, stays as it is."""
    check(kept("losses", ".detach()"), before, after)


@pytest.mark.parametrize(
    ("container", "before", "after"),
    [
        ("self.losses", "self.losses.append(loss)", "self.losses.append(loss.detach())"),
        ('log["loss"]', "log['loss'].append(loss)", "log['loss'].append(loss.detach())"),
        ("out['aug']", "out['aug'] = model(x)", "out['aug'] = model(x).detach()"),
    ],
)
def test_keeps_no_graph_in_a_part(container: str, before: str, after: str) -> None:
    """An attribute, or one entry."""
    check(kept(container, ".detach()"), before, after)


def test_of_several_tensors_each_has_to_be_named() -> None:
    """Else nobody can tell what is kept."""
    assert kept("outs", ".cpu()", one=False)("outs.append(x)") is None
    source = "a.backward()\nb.backward()\nouts.append((a, b))"
    changed = kept("outs", ".cpu()", one=False)(source)
    assert changed == source.replace("(a, b)", "(a.cpu(), b.cpu())")


@pytest.mark.parametrize(("before", "after"), ON_HOST[:2] + ON_HOST[3:])
def test_keeps_it_on_the_host(before: str, after: str | None) -> None:
    """Without its graph."""
    check(kept("losses", ".detach().cpu()"), before, after)


@pytest.mark.parametrize("seed", range(20))
def test_whatever_stands_around_it(seed: int) -> None:
    """Comments and blank lines between."""
    before = shuffled(LOOP.format("losses.append(loss)"), seed)
    after = before.replace("losses.append(loss)", "losses.append(loss.detach())")
    check(kept("losses", ".detach()"), before, after)


PUT = "for x in data:\n    loss = model(x)\n    losses.append(loss)"


@pytest.mark.parametrize(
    "others",
    [
        (),
        ("losses = []", "print(len(losses), float(sum(losses)) / 3)"),
        ("curve = [each.item() for each in losses]\nplt.plot(curve)",),
        ("import torch\nclasses = torch.cat(losses).argmax(1)",),
        ("def show(values):\n    print(values)\nshow(losses)",),
        ("best = max(losses, key=lambda each: each.item())",),
    ],
)
def test_nobody_goes_back(others: tuple[str, ...]) -> None:
    """Numbers, classes and pictures need no graph."""
    assert objection(kept("losses", ".detach()"), PUT, *others) is None


@pytest.mark.parametrize(
    ("why", "others"),
    [
        ("gate.backward", ("sum(losses).backward()",)),
        ("gate.backward", ("total = sum(losses)\nmean = total / 3", "mean.backward()")),
        ("gate.backward", ("def step(parts):\n    sum(parts).backward()", "step(losses)")),
        ("gate.backward", ("window = losses", "window[-1].backward()")),
        ("gate.backward", ("losses = log = []", "sum(log).backward()")),
        ("gate.backward", ("all_of = {'a': losses}", "sum(all_of['a']).backward()")),
        ("gate.backward", ("def total():\n    return sum(losses)", "total().backward()")),
        ("gate.backward", ("total = lambda: sum(losses)", "total().backward()")),
        ("gate.backward", ("accelerator.backward(torch.stack(losses).mean())",)),
        ("gate.backward", ("torch.autograd.grad(sum(losses), w)",)),
        ("gate.backward", ("for each in losses:\n    each.backward()",)),
        ("gate.backward", ("alive = [x for x in losses if x.requires_grad]",)),
        ("gate.handed_on", ("for callback in callbacks:\n    callback(losses)",)),
        ("gate.unread", ("def broken(:",)),
        ("gate.runs_text", ("exec(text)",)),
        ("keep.identity", ("place = [x is best for x in losses]",)),
        ("keep.identity", ("if best in losses:\n    pass",)),
        ("keep.identity", ("losses.remove(best)",)),
    ],
)
def test_somebody_may_go_back(why: str, others: tuple[str, ...]) -> None:
    """By another name, in another cell, by whatever way; or it is told which object it is."""
    assert objection(kept("losses", ".detach()"), PUT, *others) == why


def test_another_owner_of_an_attribute() -> None:
    """`self.logps` is read as `agent.logps`, or by its name as text."""
    act = "class Agent:\n    def act(self, x):\n        self.logps.append(self.policy(x))"
    rewrite = kept("self.logps", ".detach()")
    assert objection(rewrite, act, "print(len(agent.logps))") is None
    assert objection(rewrite, act, "(-sum(agent.logps)).backward()") == "gate.backward"
    assert objection(rewrite, act, "values = getattr(agent, name)") == "keep.by_text"


KEPT = "outs = []\nfor x in data:\n    outs.append(model(x))"


@pytest.mark.parametrize(
    "other",
    [
        "print(len(outs), outs[-1].mean().item())",
        "scores = torch.cat(outs).softmax(1).cpu().numpy()",
        "for n, out in enumerate(outs):\n    print(out.shape)",
        "rows = [out.tolist() for out in outs]",
        "back = torch.stack(outs).to(device)",
        "torch.save(outs, path)",
        "good = torch.cat(outs).argmax(1) == 1",
        "def show(values):\n    print(values[0].item())\nshow(outs)",
        "def all_of():\n    return torch.cat(outs)\nsize = all_of().shape",
        "total = 0\nfor out in outs:\n    total += out.sum()",
    ],
)
def test_all_of_it_may_be_on_the_host(other: str) -> None:
    """What is made of it is there, too."""
    assert objection(kept("outs", ".cpu()"), KEPT, other) is None


@pytest.mark.parametrize(
    "other",
    [
        "torch.cat([start, *outs])",
        "parts = [start]\nparts += outs",
        "torch.cat(outs) - labels",
        "torch.cat(outs) == labels",
        "loss = criterion(torch.cat(outs), y)",
        "for out in outs:\n    head(out)",
        "for out, y in zip(outs, ys):\n    print((out - y).item())",
        "noise = torch.randn_like(outs[0])",
        "where = outs[0].device",
        "outs.append(other)",
        "outs[0] += x",
        "outs[0].add_(x)",
        "rows = bank[outs[0]]",
        "rows = [out[order] for out in outs]",
        "array = outs[0].cpu().numpy()\narray[:] = 0",
        "def f():\n    return outs\ng = f",
        "f = lambda: outs",
        "text = f'{outs[0]}'",
        "%timeit outs[0] + y",
        "self.outs = outs\nprint(self.outs[0] - y)",
        "random.choice(outs)",
        "def use(values):\n    return head(values[0])\nuse(outs)",
    ],
)
def test_some_of_it_may_be_needed_on_the_card(other: str) -> None:
    """Where it meets what may be there, where it is changed, or where nobody can tell."""
    assert objection(kept("outs", ".cpu()"), KEPT, other) == "host.meets"


def test_what_meets_on_the_host_is_kept_there_together() -> None:
    """Containers that are compared: both or none."""
    source = "preds, ys = [], []\nfor x, y in data:\n    preds.append(model(x))\n    ys.append(y)"
    other = "acc = (torch.cat(preds) == torch.cat(ys)).sum().item()"
    both = kept("preds", ".cpu()", "ys")
    changed = source.replace("model(x))", "model(x).cpu())").replace("(y)", "(y.cpu())")
    check(both, source, changed)
    assert objection(both, source, other) is None
    assert objection(kept("preds", ".cpu()"), source, other) == "host.meets"


STATES: list[tuple[str, str, str | None]] = [
    (
        "h",
        "for x in data:\n    out, h = rnn(x, h)\n    step(out)",
        "for x in data:\n    h = h.detach()\n    out, h = rnn(x, h)\n    step(out)",
    ),
    (
        "h",
        "h = None\nfor x in data:\n    out, h = rnn(x, h)\n    loss(out).backward()  # ö\nprint(h)",
        (
            "h = None\nfor x in data:\n    out, h = rnn(x, h)\n    loss(out).backward()  # ö\n"
            "    h = h.detach()\nprint(h)"
        ),
    ),
    (
        "self.h",
        "for x in data:\n    y, self.h = rnn(x, self.h)",
        "for x in data:\n    self.h = self.h.detach()\n    y, self.h = rnn(x, self.h)",
    ),
    (
        "state",
        "while more():\n    # next\n    out, state = rnn(x, state)",
        "while more():\n    # next\n    state = state.detach()\n    out, state = rnn(x, state)",
    ),
    ("h", "for x in data: out, h = rnn(x, h)", None),
    ("h", "for x in data:\n    out, h = rnn(x)", None),
    ("h", "out, h = rnn(x, h)", None),
]


@pytest.mark.parametrize(("name", "before", "after"), STATES)
def test_detaches_a_state(name: str, before: str, after: str | None) -> None:
    """In each step, where the next begins."""
    check(detached_state(name), before, after)


def test_a_state_without_its_past_is_advice() -> None:
    """What is trained is another thing then."""
    assert objection(detached_state("h"), STATES[0][1]) == "keep.truncates"


def test_takes_any_text() -> None:
    """Hostile cells raise nothing."""
    refuses_hostile(kept("losses", ".detach()"))
    refuses_hostile(detached_state("h"))


LEAVES = table(
    """
def attack(x):
    for _ in range(9):
        g, = torch.autograd.grad(f(x), x, create_graph=True)
        x = x + g.sign()
        x = x.clamp(0, 1)
    return x
--->
def attack(x):
    for _ in range(9):
        x = x.detach().requires_grad_()
        g, = torch.autograd.grad(f(x), x, create_graph=True)
        x = x + g.sign()
        x = x.clamp(0, 1)
    return x
====
for _ in range(9):
    g = grad(f(x), [x], create_graph=True)[0]
    x = x - g
--->
for _ in range(9):
    x = x.detach().requires_grad_()
    g = grad(f(x), [x], create_graph=True)[0]
    x = x - g
====
for _ in range(9):
    g = grad(f(x), w)[0]
    x = x - g
====
for _ in range(9):
    g = grad(f(x), x, create_graph=True)[0]
    x = x - g
loss(x).backward()
====
for _ in range(9):
    g = grad(f(x), x)[0]
    y = x - g
"""
)


@pytest.mark.parametrize(("before", "after"), LEAVES)
def test_an_input_that_is_improved_has_no_past(before: str, after: str | None) -> None:
    """Where nothing goes back through the steps."""
    check(detached_leaf("x"), before, after)


def test_gradients_may_be_asked_for_elsewhere() -> None:
    """Of what a function returns, or of the name itself."""
    attack, imports = LEAVES[0][0], "import torch\nfrom losses import f"
    leaf = detached_leaf("x")
    assert objection(leaf, attack, imports, "adv = attack(x)", "f(y).backward()") is None
    assert objection(leaf, attack, imports, "a = attack(y)", "f(a).backward()") == "gate.backward"
    assert objection(leaf, str(LEAVES[1][0]), "f(x).backward()") is not None
    assert objection(leaf, attack, "((") == "gate.unread"


ENTRIES = table(
    """
for batch in loader:
    out = step(batch)
    out["loss"].backward()
    outs.append(out)
--->
for batch in loader:
    out = step(batch)
    out["loss"].backward()
    outs.append({k: v.detach() if hasattr(v, "detach") else v for k, v in out.items()})
====
for batch in loader:
    out = step(batch)
    outs.append(out)
    out["late"] = 1
====
out["loss"] = 0
outs.append(out)
"""
)


@pytest.mark.parametrize(("before", "after"), ENTRIES)
def test_entries_of_a_dict_are_kept_without_graphs(before: str, after: str | None) -> None:
    """Where it is one, and does not change any more."""
    check(entries_kept("outs"), before, after)


def test_entries_are_of_a_dict_that_was_just_made() -> None:
    """Not of what only looks like one, and not where somebody goes back."""
    loop, step = str(ENTRIES[0][0]), "def step(x):\n    return {'loss': model(x)}"
    assert objection(entries_kept("outs"), loop, step) is None
    assert objection(entries_kept("outs"), loop) == "keep.no_dict"
    assert objection(entries_kept("outs"), loop, "def step(x):\n    return model(x)") is not None
    backward = "sum(each['loss'] for each in outs).backward()"
    assert objection(entries_kept("outs"), loop, step, backward) == "gate.backward"
