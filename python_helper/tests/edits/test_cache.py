"""A cache whose entries are on the host until they are read."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from gpu_headroom.edits.cache import cached_on_host, last_kept, only_by_keys, only_made
from tests.edits.cases import check, refuses_hostile, table

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


def test_other_cells_use_its_keys_alone() -> None:
    """Where one reads an entry it would be on the host."""
    assert only_by_keys(["cache = {}", "print(len(cache), 1 in cache)"], "cache", "m.cache")
    assert not only_by_keys(["cache = {}", "f(m.cache[1])"], "cache", "m.cache")
    assert not only_by_keys(["x = (("], "cache")


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


def test_other_cells_only_make_it() -> None:
    """What they read is not known to be the last."""
    assert only_made(["probs = []", "self.probs: list = []"], "probs", "self.probs")
    assert not only_made(["print(self.probs)"], "probs", "self.probs")
    assert not only_made(["(("], "probs")
