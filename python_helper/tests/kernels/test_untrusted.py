"""A kernel beside whose cells something writes what it likes where ranks say what they hold."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from gpu_headroom.workers.report import _LISTS, _MEASURED
from tests.text.test_untrusted import BAD
from tests.workers.test_untrusted import SAID, wrong

if TYPE_CHECKING:
    from pathlib import Path

    from tests.live import LiveKernel

GPU = "4GiB"
OOM = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a "
    "total capacity of 4.00 GiB of which 1.00 GiB is free."
)
PLACES = """
import os, pathlib
ranks = pathlib.Path(os.environ["GPU_HEADROOM_RANKS"])
ranks.mkdir(mode=0o700, exist_ok=True)
(ranks / "1.reading").mkdir()
(ranks / "2.json").mkdir()
os.mkfifo(ranks / "3.reading")
(ranks / "4.reading").symlink_to("/dev/zero")
(ranks / "5.json").symlink_to("/dev/zero")
"""


@pytest.fixture
def kernel(fresh: LiveKernel) -> LiveKernel:
    """A kernel that holds a tensor."""
    assert fresh.run("import torch; x = torch.empty(2**20, device='cuda')").status == "ok"
    return fresh


def works(kernel: LiveKernel, cell_id: str) -> None:
    """A reading, a plan, a walk, what workers hold, and a cell: each as it is anywhere."""
    since = kernel.now
    assert kernel.run("y = x", cell_id=cell_id).status == "ok"
    kernel.await_event("cell", since, cell_id=cell_id, status="ok")
    assert kernel.sample()["type"] == "sample"
    assert kernel.ask("workers", filter="")["type"] == "workers"
    for kind in ("plan", "holders"):
        reply = kernel.ask(kind)
        assert reply["status"] in {"queued", "waiting"}, reply
        assert kernel.await_event(kind, since, request_id=reply["id"])
    assert kernel.events("error", since) == []


def test_nothing_in_the_files_of_ranks_ends_anything(kernel: LiveKernel) -> None:
    """Neither a text that is broken or hostile, nor what is no file."""
    assert kernel.run(PLACES).status == "ok"
    works(kernel, "no-files")
    texts = [json.dumps(value) for value in wrong(SAID)]
    for number, text in enumerate([*BAD.values(), *texts[:: len(texts) // 25]]):
        data = text if isinstance(text, bytes) else text.encode()
        data = data[: 2**17]  # it has to come there, in a message
        write = f"[(ranks / f'{10 + number}.{{kind}}').write_bytes({data!r})"
        kernel.run(f"{write} for kind in ('reading', 'json')]", silent=True, store_history=False)
    works(kernel, "files")


@pytest.mark.parametrize("inside", [{}, {"bytes": []}, {"kind": 5, "title": {"text": []}}])
def test_a_report_is_shown_whatever_a_process_has_left(
    kernel: LiveKernel, tmp_path: Path, inside: dict[str, Any]
) -> None:
    """It is of the kernel's own then, by what the process printed."""
    report = {
        **dict.fromkeys(_MEASURED),
        **{key: [inside] for key in _LISTS},
        "framework": "torch",
        "error_name": "E",
        "simulated": False,
        "cause": inside,
        "requested_bytes": 2 * 2**30,
        "capacity_bytes": 4 * 2**30,
        "execution_count": None,
    }
    data = {"rank": None, "report": report, "batch": inside, "fits": inside}
    (tmp_path / "fail.py").write_text(
        f"import os, pathlib\nranks = pathlib.Path(os.environ['GPU_HEADROOM_RANKS'])\n"
        f"ranks.mkdir(mode=0o700, exist_ok=True)\n"
        f"(ranks / f'{{os.getpid()}}.json').write_text({json.dumps(data)!r})\n"
        f"raise SystemExit({OOM!r})\n"
    )
    run = kernel.run("import sys\n!{sys.executable} fail.py", cell_id="cell", stop_on_error=False)
    result = kernel.explain(run, "cell")
    assert result is not None
    assert result["measured"] == "message"
    assert kernel.events("error") == []
    works(kernel, "after")
