"""A cache whose entries are on the host until they are read."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from gpu_headroom.edits.cache import cached_on_host, last_kept
from tests.edits.cases import check, objection, refuses_hostile, table

CACHES = table(
    """
cache = {}
def features(i):
    if i not in cache:
        cache[i] = backbone(load(i))
    return cache[i]
--->
cache = {}
def features(i):
    if i not in cache:
        cache[i] = backbone(load(i)).cpu()
    return cache[i].cuda()
====
feats = backbone(x)
cache[k] = feats
head(cache[k] * 2)
--->
feats = backbone(x)
cache[k] = feats.cpu()
head(cache[k].cuda() * 2)
====
cache[k] = f(x)
if len(cache) > 100:
    cache.popitem(last=False)
    del cache[j]
print(cache[k].shape, cache.keys())
--->
cache[k] = f(x).cpu()
if len(cache) > 100:
    cache.popitem(last=False)
    del cache[j]
print(cache[k].shape, cache.keys())
====
cache[k] = f(x)
y = cache.get(k)
====
cache[k] = f(x)
for y in cache.values():
    g(y)
====
cache[k] = f(x)
cache[k] += 1
====
cache[k] = f(x)
cache[k].add_(1)
====
cache[k] = (f(x), g(x))
====
cache[k] = f(x)
other = cache
====
cache[k] = f(x)
x = cache.pop(k)
====
cache[k] = f(x)
x = cache[1:]
====
x = cache[k]
"""
)


@pytest.mark.parametrize(("before", "after"), CACHES)
def test_an_entry_is_brought_back_where_it_is_read(before: str, after: str | None) -> None:
    """Refused where the cache is used by more than its keys."""
    check(cached_on_host("cache"), before, after)
    changed = None if after is None else after.replace("cache", "self.cache")
    check(cached_on_host("self.cache"), before.replace("cache", "self.cache"), changed)


CACHE = str(CACHES[0][0])


@pytest.mark.parametrize(
    "other",
    ["print(len(cache))", "if 3 in cache:\n    cache.clear()", "loss = head(features(3)).sum()"],
)
def test_other_cells_use_its_keys_alone(other: str) -> None:
    """Where one reads an entry it would be on the host."""
    assert objection(cached_on_host("cache"), CACHE, other) is None


@pytest.mark.parametrize(
    ("why", "other"),
    [
        ("cache.used", "x = cache[1]"),
        ("cache.used", "other = cache"),
        ("cache.used", "f(cache)"),
        ("cache.used", "def f(cache):\n    return cache"),
        ("cache.changed", "y = features(1)\ny += 1"),
        ("cache.changed", "y = features(1)\ny.mul_(2)"),
        ("cache.changed", "features(1)[0] = 1"),
        ("keep.identity", "same = features(1) is features(1)"),
        ("gate.unread", "(("),
    ],
)
def test_other_cells_may_change_an_entry(why: str, other: str) -> None:
    """Where one is read it is a copy."""
    assert objection(cached_on_host("cache"), CACHE, other) == why


def test_an_attribute_of_another_owner() -> None:
    """`self.cache` is `net.cache`."""
    mask = "class Net:\n    def mask(self, n):\n        self.cache[n] = f(n)\n"
    mask += "        return self.cache[n]"
    assert objection(cached_on_host("self.cache"), mask) is None
    assert objection(cached_on_host("self.cache"), mask, "x = net.cache[1]") == "cache.used"


def test_computes_the_same() -> None:
    """An entry is what it was."""
    source = "cache[1] = x.relu()\ny = cache[1] + x\n"
    changed = cached_on_host("cache", '.to("cpu")')(source)
    assert changed is not None
    names: dict[str, Any] = {"x": torch.randn(3), "cache": {}}
    exec(changed, names)  # noqa: S102  a cell of this test
    assert torch.equal(names["y"], names["x"].relu() + names["x"])


def test_takes_any_text() -> None:
    """Hostile cells raise nothing."""
    refuses_hostile(cached_on_host("losses"))


LAST = table(
    """
probs = []
for t in steps:
    probs.append(log_prob(t))
    print(probs[-1])
loss = torch.stack(probs[-10:]).sum()
--->
probs = []
for t in steps:
    probs.append(log_prob(t))
    del probs[:-10]
    print(probs[-1])
loss = torch.stack(probs[-10:]).sum()
====
probs.append(p)
loss = torch.stack(probs).sum()
====
probs.append(p)
loss = sum(probs[-n:])
====
probs.append(p)
loss = sum(probs[-9:-1])
====
probs.append(p)
print(len(probs), probs[-1])
====
probs.append(p)
"""
)


@pytest.mark.parametrize(("before", "after"), LAST)
def test_no_more_is_kept_than_is_read(before: str, after: str | None) -> None:
    """From the end of a list, by a number that the text says."""
    check(last_kept("probs"), before, after)


@pytest.mark.parametrize(
    "other",
    [
        "mean = sum(probs) / 3",
        "n = len(probs)",
        "first = probs[0]",
        "for p in probs:\n    print(p)",
        "log = probs",
        "probs = log = []",
        "probs = deque()",
        "def f(probs):\n    return probs",
        "probs",
        "%timeit sum(probs)",
    ],
)
def test_other_cells_only_make_it(other: str) -> None:
    """What they read is not known to be the last; a deque has no slices."""
    source = str(LAST[0][0])
    assert objection(last_kept("probs"), source) is None
    assert objection(last_kept("probs"), source, "probs = []") is None
    assert objection(last_kept("probs"), source, other) == "cache.used"


def test_the_last_of_an_attribute() -> None:
    """Whoever owns it."""
    source = "class A:\n    def f(self, x):\n        self.hs.append(x)\n        return self.hs[-1]"
    made = "a = A()\na.hs = []"
    assert objection(last_kept("self.hs"), source, made) is None
    assert objection(last_kept("self.hs"), source, made, "print(a.hs[0])") == "cache.used"
    assert objection(last_kept("self.hs"), source) == "cache.used"
