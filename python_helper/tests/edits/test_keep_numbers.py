"""What is kept over the steps of a loop: a number, or a value without its graph."""

from __future__ import annotations

import pytest
from gpu_headroom.edits.keep_numbers import (
    detached_leaf,
    detached_state,
    entries_kept,
    goes_nowhere,
    kept,
    stay_apart,
)
from tests.edits.cases import check, refuses_hostile, shuffled, table

LOOP = """losses = []
for x, y in loader:
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.step()
    {0}
print(sum(losses))"""
OTHER_CONTAINERS: list[tuple[str, str | None, str, str, str]] = [
    ("losses", "loss", ".item()", "losses.append(loss)", "losses.append(loss.item())"),
    (
        "losses",
        "loss",
        ".item()",
        "losses.append(loss / len(x))",
        "losses.append(loss.item() / len(x))",
    ),
    ("losses", None, ".item()", "losses.append(loss / n)", "losses.append((loss / n).item())"),
    (
        "losses",
        None,
        ".item()",
        "losses.append(f(model(x), y))  # ö",
        "losses.append(f(model(x), y).item())  # ö",
    ),
    (
        "losses",
        "loss",
        ".item()",
        "losses.append((step, loss))",
        "losses.append((step, loss.item()))",
    ),
    (
        "losses",
        "loss",
        ".item()",
        "losses.append({'loss': loss, 'n': n})",
        "losses.append({'loss': loss.item(), 'n': n})",
    ),
    (
        "losses",
        "loss",
        ".detach()",
        "losses.extend([loss, loss])",
        "losses.extend([loss.detach(), loss.detach()])",
    ),
    ("total", "loss", ".item()", "total += loss", "total += loss.item()"),
    ("total", "loss", ".item()", "total += loss * x.size(0)", "total += loss.item() * x.size(0)"),
    ("total", "loss", ".detach()", "total = total + loss", "total = total + loss.detach()"),
    ("total", None, ".detach()", "total = loss + total", "total = loss.detach() + total"),
    ("outs", "out", ".detach().cpu()", "outs.append(out)", "outs.append(out.detach().cpu())"),
    (
        "outs",
        "out",
        ".detach().cpu()",
        "outs.append(out.detach())",
        "outs.append(out.detach().cpu())",
    ),
    ("outs", "out", ".cpu()", "outs[k] = out", "outs[k] = out.cpu()"),
    (
        "outs",
        None,
        ".cpu()",
        "outs = [model(x) for x in loader]",
        "outs = [model(x).cpu() for x in loader]",
    ),
    (
        "outs",
        None,
        ".cpu()",
        "outs = {k: model(k) for k in ks}",
        "outs = {k: model(k).cpu() for k in ks}",
    ),
    (
        "outs",
        "out",
        ".detach()",
        "outs = torch.cat([outs, out])",
        "outs = torch.cat([outs, out.detach()])",
    ),
    (
        "self.losses",
        "loss",
        ".item()",
        "self.losses.append(loss)",
        "self.losses.append(loss.item())",
    ),
    (
        'log["loss"]',
        "loss",
        ".item()",
        "log['loss'].append(loss)",
        "log['loss'].append(loss.item())",
    ),
    ("log", "loss", ".item()", 'log["loss"].append(loss)', 'log["loss"].append(loss.item())'),
    ("log", "loss", ".item()", "log[name].append(loss)", "log[name].append(loss.item())"),
    (
        "log",
        "loss",
        ".item()",
        "log.setdefault(k, []).append(loss)",
        "log.setdefault(k, []).append(loss.item())",
    ),
    (
        "out['aug']",
        None,
        ".detach()",
        "out['loss'].backward()\nout['aug'] = model(x)",
        "out['loss'].backward()\nout['aug'] = model(x).detach()",
    ),
    (
        "outs",
        "out",
        ".cpu()",
        "outs = out if outs is None else torch.cat([outs, out])",
        "outs = out.cpu() if outs is None else torch.cat([outs, out.cpu()])",
    ),
    (
        "preds",
        "p",
        ".cpu()",
        "def evaluate(x):\n    preds.append(p)\n    return torch.cat(preds) == y.cpu()",
        "def evaluate(x):\n    preds.append(p.cpu())\n    return torch.cat(preds) == y.cpu()",
    ),
    ("buffer", "out", ".cpu()", "buffer.appendleft(out)", "buffer.appendleft(out.cpu())"),
    (
        "outs",
        "out",
        ".cpu()",
        "outs.append(\n    out,  # last\n)",
        "outs.append(\n    out.cpu(),  # last\n)",
    ),
]


@pytest.mark.parametrize(("container", "value", "how", "before", "after"), OTHER_CONTAINERS)
def test_keeps_less(container: str, value: str | None, how: str, before: str, after: str) -> None:
    """Wherever it is put."""
    check(kept(container, value, how), before, after)


def test_a_training_loop() -> None:
    """The loss that is trained with stays as it is."""
    before, after = LOOP.format("losses.append(loss)"), LOOP.format("losses.append(loss.item())")
    check(kept("losses", "loss", ".item()"), before, after)


@pytest.mark.parametrize(
    ("container", "how", "source"),
    [
        ("losses", ".item()", "losses.append(loss.item())"),
        ("losses", ".item()", "losses.append(float(loss))"),
        ("losses", ".detach()", "losses.append(loss.detach())"),
        ("losses", ".cpu()", "losses.append(loss.cpu().numpy())"),
        ("losses", ".item()", "other.append(loss)"),
        ("losses", ".item()", "losses.append(loss)\nsum(losses).backward()"),
        (
            "losses",
            ".detach()",
            "losses.append(loss)\nmean = torch.stack(losses).mean()\nmean.backward()",
        ),
        ("losses", ".item()", "losses.append(loss)\nprint(torch.stack(losses))"),
        ("total", ".item()", "total += loss\nprint(total.item() / n)"),
        ("losses", ".item()", "losses.append(loss)\nprint([each.item() for each in losses])"),
        ("losses", ".item()", "losses.append(loss)\nprint(losses[-1].cpu())"),
        ("total", ".item()", "total += loss\ntotal.backward()"),
        ("losses", ".item()", "f'{losses.append(x)}"),
        (
            "total",
            ".detach()",
            "def compute(x):\n    total = 0\n    total += loss\n    return total",
        ),
        ("preds", ".cpu()", "preds.append(loss)\nacc = torch.cat(preds) == labels"),
        ("preds", ".cpu()", "preds.append(loss)\nd = torch.cat(preds) - labels.cuda()"),
    ],
)
def test_keeps_what_is_needed(container: str, how: str, source: str) -> None:
    """Gradients, tensors, and what is a number already."""
    check(kept(container, "loss", how), source, None)


STATES: list[tuple[tuple[str, ...], bool, str, str | None]] = [
    (
        ("h",),
        False,
        "for x in data:\n    out, h = rnn(x, h)\n    step(out)",
        "for x in data:\n    h = h.detach()\n    out, h = rnn(x, h)\n    step(out)",
    ),
    (
        ("h", "c"),
        False,
        "for x in data:\n    out, (h, c) = rnn(x, (h, c))",
        "for x in data:\n    h, c = h.detach(), c.detach()\n    out, (h, c) = rnn(x, (h, c))",
    ),
    (
        ("state",),
        True,
        "while more():\n    # next\n    out, state = rnn(x, state)",
        (
            "while more():\n    # next\n    state = tuple([each.detach() for each in state])\n"
            "    out, state = rnn(x, state)"
        ),
    ),
    (
        ("h",),
        False,
        "h = None\nfor x in data:\n    out, h = rnn(x, h)\n    loss(out).backward()  # ö\nprint(h)",
        (
            "h = None\nfor x in data:\n    out, h = rnn(x, h)\n    loss(out).backward()  # ö\n"
            "    h = h.detach()\nprint(h)"
        ),
    ),
    (
        ("self.h",),
        False,
        "for x in data:\n    y, self.h = rnn(x, self.h)",
        "for x in data:\n    self.h = self.h.detach()\n    y, self.h = rnn(x, self.h)",
    ),
    (("h",), False, "for x in data: out, h = rnn(x, h)", None),
    (("h",), False, "for x in data:\n    out, h = rnn(x)", None),
    (("h",), False, "out, h = rnn(x, h)", None),
]


@pytest.mark.parametrize(("names", "several", "before", "after"), STATES)
def test_detaches_a_state(
    names: tuple[str, ...], *, several: bool, before: str, after: str | None
) -> None:
    """In each step, where the next begins."""
    check(detached_state(*names, several=several), before, after)


@pytest.mark.parametrize("seed", range(20))
def test_whatever_stands_around_it(seed: int) -> None:
    """Comments and blank lines between."""
    before = shuffled(LOOP.format("losses.append(loss)"), seed)
    after = before.replace("losses.append(loss)", "losses.append(loss.item())")
    check(kept("losses", "loss", ".item()"), before, after)


def test_takes_any_text() -> None:
    """Hostile cells raise nothing."""
    refuses_hostile(kept("losses", "loss", ".item()"))
    refuses_hostile(detached_state("h"))


BESIDE: list[tuple[str, str | None]] = table(
    """
for x, y in loader:
    preds.append(model(x))
    ys.append(y)
loss = criterion(torch.cat(preds, dim=d), torch.cat(ys))
--->
for x, y in loader:
    preds.append(model(x).cpu())
    ys.append(y.cpu())
loss = criterion(torch.cat(preds, dim=d), torch.cat(ys))
====
preds.append(x)
ys.append(y)
zs.append(z)
acc = (torch.cat(preds) == torch.cat(ys)).sum() - torch.cat(zs)
--->
preds.append(x.cpu())
ys.append(y.cpu())
zs.append(z.cpu())
acc = (torch.cat(preds) == torch.cat(ys)).sum() - torch.cat(zs)
====
preds.append(x)
plot(steps, preds)
--->
preds.append(x.cpu())
plot(steps, preds)
====
preds.append(x)
if x in preds:
    print(len(preds))
--->
preds.append(x.cpu())
if x in preds:
    print(len(preds))
====
preds.append(x)
loss = criterion(torch.cat(preds), y)
====
preds.append(x)
names.append(y)
show(preds, names)
====
preds.append(x)
loss = criterion(target=y, input=torch.cat(preds))
"""
)


@pytest.mark.parametrize(("before", "after"), BESIDE)
def test_what_meets_on_the_host_is_kept_there_together(before: str, after: str | None) -> None:
    """Containers of tensors that are compared; where another may be on the card, none is."""
    check(kept("preds", None, ".cpu()", ["preds", "ys", "zs"]), before, after)


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["print(len(preds))", "torch.cat(preds).mean()"], True),
        (["torch.cat(preds) - labels.cuda()"], False),
        (["def f():\n    return torch.cat(preds)", "p = f()", "p == y"], False),
        (["def f():\n    return torch.cat(preds)", "p = f()", "p == y.cpu()"], True),
        (["loss(g(m.preds), y)"], False),
        (["x = (("], False),
        (["for p in preds:\n    head(p)"], False),
        (["for p in preds:\n    head(p.to(device))"], True),
        (["def show(ps):\n    print(ps[0].shape)", "show(preds)"], True),
        (["def use(ps):\n    return head(ps[0])\nuse(preds)"], False),
    ],
)
def test_other_cells_may_need_it_on_the_card(cells: list[str], *, expected: bool) -> None:
    """Also what a function gives them."""
    assert stay_apart(cells, "preds", "m.preds") is expected


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
    attack = LEAVES[0][0]
    assert goes_nowhere([attack, "adv = attack(x)", "loss = f(y)\nloss.backward()"], "x")
    assert not goes_nowhere([attack, "adv = attack(y)", "loss = f(adv)\nloss.backward()"], "x")
    assert not goes_nowhere([LEAVES[1][0], "f(x).backward()"], "x")
    assert not goes_nowhere(["((", attack], "x")


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
====
for batch in loader:
    out = step(batch)
    outs.append(out)
    out["late"] = 1
====
out["loss"] = 0
outs.append(out)
sum(each["loss"] for each in outs).backward()
====
out[0].backward()
outs.append(out)
"""
)


@pytest.mark.parametrize(("before", "after"), ENTRIES)
def test_entries_of_a_dict_are_kept_without_graphs(before: str, after: str | None) -> None:
    """Where it is one, and does not change any more."""
    check(entries_kept("outs"), before, after)
