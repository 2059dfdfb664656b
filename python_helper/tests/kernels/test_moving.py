"""A model goes to the host and comes back, asked for by a page of real kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.live import LiveKernel, attached

if TYPE_CHECKING:
    from pathlib import Path

    from tests.live import Pack

MIB = 2**20
TRAIN = """
import torch
model = torch.nn.Linear(1024, 1024, bias=False).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
model(torch.ones(8, 1024, device="cuda")).sum().backward()
optimizer.step()
"""
DEVICES = "sorted({str(t.device) for p in model.parameters() for t in (p, p.grad)})"


def release(kernel: LiveKernel, *items: str, confirmed: bool) -> dict[str, Any]:
    """Ask for a release, and wait for what came of it; a refusal is returned as it is."""
    since = kernel.now
    wish = {"items": list(items), "confirmed": list(items) if confirmed else []}
    reply: dict[str, Any] = kernel.ask("release", report_id=None, **wish)
    if reply["type"] == "refused":
        return reply
    return kernel.await_event("released", since, release_id=reply["release_id"])


def test_a_model_goes_to_the_host_and_comes_back(python: Path, pack: Pack, tmp_path: Path) -> None:
    """Only when it was agreed to; the undo that the page is told brings all of it back."""
    with attached(python, tmp_path, pack, installed=True, GPU_HEADROOM_SIMULATE="2GiB") as kernel:
        assert kernel.run(TRAIN).status == "ok"
        assert release(kernel, "offload:model", confirmed=False)["type"] == "refused"
        assert kernel.value(DEVICES) == ["cuda:0"]
        event = release(kernel, "offload:model", confirmed=True)
        assert (event["status"], event["freed_bytes"]) == ("done", 3 * 4 * MIB)
        assert kernel.value(DEVICES) == ["cpu"]
        plan = kernel.asked("plan")
        assert {"restore:model"} == {item["id"] for item in plan["items"] if "model" in item["id"]}
        undo = release(kernel, *event["undo"], confirmed=True)
        assert (undo["status"], undo["message"]["id"]) == ("done", "item.restore.done")
        assert kernel.value(DEVICES) == ["cuda:0"]
        assert kernel.run("optimizer.step()").status == "ok"
