"""Doors to what other processes say: what is broken or hostile comes through none of them."""

from __future__ import annotations

import json
import os
import subprocess
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from gpu_dry_run import wing as dry_run
from gpu_dry_run.job import GONE, NOTHING, ended_of, ordered, step_of
from gpu_headroom.cells.runs import Ledger
from gpu_headroom.reports.model import BuiltReport
from gpu_headroom.workers.engine_side import FAILED, READING
from gpu_headroom.workers.folder import Folder
from gpu_headroom.workers.ipyparallel import _Engine
from gpu_headroom.workers.ranks import Ranks
from gpu_headroom.workers.report import joined
from gpu_headroom.workers.travel import FailureLog
from tests.fuzz.mutate import TEXTS, Maker
from tests.text.test_untrusted import BAD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DEVICE: dict[str, Any] = {
    "index": 0,
    "uuid": None,
    "name": "GPU",
    "simulated": True,
    "capacity_bytes": 2**30,
    "in_use_bytes": 2**20,
    "cached_bytes": 0,
    "taken_bytes": None,
}
SAID = {"rank": 0, "born": None, "execution_count": 1, "start_s": 1e12, "devices": [DEVICE]}
FAILURE = {"n": 1, "pid": 1, "host": "h", "found": json.dumps({"report": {}})}
STATUSES = ("running", "done")
OPEN = Path("/proc/self/fd")
# Of another type than any that is meant, one after the other in each place.
WRONG: tuple[Any, ...] = (None, True, -1, 1.5, "x", [], {}, [[]], [{}], {"a": []}, 2**63)


def wrong(value: Any) -> Iterator[Any]:
    """Yield a value as it is with one part of another type, however deep that lies."""
    yield from WRONG
    if type(value) is list:
        parts = [*enumerate(value)]
    else:
        parts = [*value.items()] if type(value) is dict else []
    for key, part in parts:
        for variant in wrong(part):
            copy = value.copy()
            copy[key] = variant
            yield copy
    if type(value) is dict:
        for key in value:
            yield {name: part for name, part in value.items() if name != key}


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """The folder of a helper."""
    (tmp_path / "ranks").mkdir()
    return Folder(str(tmp_path / "ranks"))


@pytest.fixture
def ranks(folder: Folder) -> Iterator[Ranks]:
    """The ranks of that helper."""
    result = Ranks("untrusted", Ledger(), lambda _: None, lambda _: None)
    result._folder = folder
    result.open()
    yield result
    result.close()


def workers(ranks: Ranks) -> int:
    """How many there are, by all that a page receives of them."""
    ranks._seen_s = float("-inf")
    status = ranks.followed()
    answer = ranks.answer("")
    json.dumps([status, answer], allow_nan=False)
    return sum(len(gpu["workers"]) for gpu in answer.gpus)


def no_files(path: Path) -> dict[str, Callable[[], object]]:
    """What can stand in the place of a file, and how it is made."""
    return {
        "a FIFO": lambda: os.mkfifo(path),
        "a folder": path.mkdir,
        "a link to what never ends": lambda: path.symlink_to("/dev/zero"),
        "a link to nothing": lambda: path.symlink_to("nothing"),
        "10 GB of nothing": lambda: path.open("wb").truncate(10**10),
        "nobody may read it": lambda: path.touch(0),
    }


def test_what_is_no_file_is_not_read(folder: Folder, tmp_path: Path) -> None:
    """Nor does it keep a file open, which is read once a second."""
    for number, kind in enumerate(no_files(tmp_path)):
        name = f"{number}.reading"
        no_files(tmp_path / "ranks" / name)[kind]()
        before = len([*OPEN.iterdir()])
        for _ in range(3):
            assert folder.read(name) is None, kind
        assert len([*OPEN.iterdir()]) == before, kind


def test_a_file_of_a_rank(ranks: Ranks, folder: Folder, tmp_path: Path) -> None:
    """Whatever stands in it, the others are read."""
    folder.write("1000.reading", SAID)
    assert workers(ranks) == 1
    texts = [*BAD.values(), *map(json.dumps, wrong(SAID))]
    names = [*(f"{10**6 + n}" for n in range(20)), "-1", "1" * 200, "٣", "a"]
    for begin in range(0, len(texts), len(names)):
        for name, text in zip(names, texts[begin:], strict=False):
            for kind in ("reading", "json"):
                data = text if isinstance(text, bytes) else text.encode()
                (tmp_path / "ranks" / f"{name}.{kind}").write_bytes(data)
        assert workers(ranks) >= 1
        report = ranks.take(None, 7)
        assert report["others"] == len(names[: len(texts) - begin])
        assert set(report) in ({"others"}, {*SAID, "others"})


def test_what_an_engine_of_ipyparallel_publishes() -> None:
    """A reading that is right is taken behind any other, and so is a failure."""
    reading = {"n": 1, "pid": 1, "host": "h", "devices": [DEVICE]}
    log, failures, data = FailureLog(), list[Any](), dict[str, Any]()
    client = SimpleNamespace(metadata={"request": {"data": data}})
    engine = _Engine(0, SimpleNamespace(msg_ids=["request"]))

    def failed(failure: dict[str, Any]) -> None:
        log.enter("ipyparallel", "key", failure)
        failures.append(failure)

    for text in (*BAD.values(), b"", None, *map(json.dumps, wrong(reading))):
        data[READING] = text
        engine.look(client, failed)
        json.dumps(engine.reading(idle=True), allow_nan=False)
    for text in (*BAD.values(), *map(json.dumps, wrong([FAILURE]))):
        data[FAILED] = text
        engine.look(client, failed)
    last = max(engine._counts.values())
    data[READING] = json.dumps({**reading, "n": last + 1, "host": "here"})
    data[FAILED] = json.dumps([None, {"n": last + 1}, {**FAILURE, "n": last + 2}])
    failures.clear()
    engine.look(client, failed)
    result = engine.reading(idle=True)
    assert result is not None
    assert (result.host, len(failures)) == ("here", 1)
    assert log.take("key")["report"] == {
        "worker": {"engine": "ipyparallel", "rank": 0, "pid": 1, "host": "h"}
    }


def test_how_a_worker_explains_its_failure() -> None:
    """What is no explanation is none."""
    log = FailureLog()
    texts = [value for value in BAD.values() if isinstance(value, str) and len(value) < 2**16]
    for text in (*texts, *map(json.dumps, wrong({"report": {}}))):
        log.enter("dask", "key", {"found": text, "host": "h", "pid": 1, "rank": 0})
        report = log.take("key")
        assert report["others"] == 0
        assert report.get("report", {}) in ({}, *WRONG) or "worker" in report["report"]


def test_a_report_that_a_worker_left() -> None:
    """One that lacks anything of what is taken over leaves the kernel's own as it was."""
    report: Any = Maker("left", TEXTS).valid("report")
    built = BuiltReport(report, {}, None)
    assert joined(built, report, 0) is not built
    for name in ("parts", "remedies", "capacity_bytes", "cause", "simulated"):
        for value in (True, -1, 1.5, "x", [1], ["x"], [None]):
            if type(value) is not type(report[name]) or type(value) is list:
                assert joined(built, {**report, name: value}, 0) is built, (name, value)


def test_what_a_run_of_a_dry_run_says() -> None:
    """An event is as it is meant in all its parts, or none."""
    peak = {
        **dict.fromkeys(("allocated_bytes", "reserved_bytes", "outside_bytes"), 1),
        **dict.fromkeys(("request", "threads"), 1),
        "cell_id": None,
        "line": None,
    }
    edit: dict[str, Any] = {
        **dict.fromkeys(("before", "number", "cell_id")),
        "remedy_id": "a",
        "title": {},
        "cells": [["a", "x" * 20_000]],
        "lines": [1, 2],
    }
    ended: dict[str, Any] = {**NOTHING, "outcome": "oom", "peak": peak, "edits": [edit]}
    values: tuple[Any, ...] = (1.5, [1], [[]], {"a": 1}, [{"a": 1}], [{**edit, "lines": [1]}])
    assert dict(ended_of(json.dumps(ended).encode()) or {}) == ended
    assert ended_of(GONE) is None
    lines = [text if isinstance(text, bytes) else text.encode() for text in BAD.values()]
    for line in (b"\n", *lines):
        if len(line) < 10**6:
            with pytest.raises(ValueError, match="no event"):
                ended_of(line)
            assert step_of(line) is None
    for name, value in product(ended, values):
        if name != "report" or type(value) is not dict:  # that is looked at where it is shown
            with pytest.raises(ValueError, match="no event"):
                ended_of(json.dumps({**ended, name: value}).encode())


def test_what_the_process_of_a_dry_run_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line that is no step is left out; the steps before and behind it count."""
    steps: list[dict[str, Any]] = [
        {"status": entry, "message": None, "asks": [], "found": {}} for entry in STATUSES
    ]
    lines = [text if isinstance(text, bytes) else text.encode() for text in BAD.values()]
    lines += [json.dumps(entry).encode() for entry in wrong([steps[0]])]
    path = tmp_path / "said"
    path.write_bytes(b"\n".join([json.dumps(steps[0]).encode(), *lines, *map(_line, steps)]))
    pipes: Any = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)

    def launched(*_: object) -> Any:
        return subprocess.Popen(["/bin/cat", str(path)], start_new_session=True, **pipes)

    monkeypatch.setattr(dry_run, "launched", launched)
    messages: list[Any] = []
    helper: Any = SimpleNamespace(
        helper_id="", send=messages.append, leases=SimpleNamespace(any=bool)
    )
    going = dry_run._Going(helper, {"id": ""}, None, [])  # type: ignore[typeddict-item]
    order = ordered([], str(tmp_path), agreed=True)
    assert going._done(order) == steps[1]
    assert [entry["status"] for entry in messages] == ["running"] * 2


def _line(step: object) -> bytes:
    return json.dumps(step).encode()
