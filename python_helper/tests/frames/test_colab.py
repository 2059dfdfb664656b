"""A kernel whose shell is Colab's by its class: a stand-in of ours, over real kernels."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from gpu_headroom import testing
from tests.conftest import NEWEST_AND_COLAB, ROOT
from tests.frames.page import FramePage, html_of, ids_in
from tests.live import SOURCES, LiveKernel

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = NEWEST_AND_COLAB

STAND_IN = ROOT / "ui-tests" / "colab" / "shell"
COLAB = "-m ipykernel_launcher --IPKernelApp.kernel_class=google.colab._kernel.Kernel"
PATHS = {"PYTHONPATH": os.pathsep.join([str(SOURCES), str(STAND_IN)])}
PREPARE = "import gpu_headroom, time, torch; gpu = gpu_headroom.simulate('4 GiB', compute='cpu')"
HOLD = "held = torch.empty(2**30, dtype=torch.uint8, device='cuda')"


@pytest.fixture(scope="module")
def process(python: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveKernel]:
    """A kernel with Colab's shell."""
    folder = tmp_path_factory.mktemp("colab")
    with LiveKernel(python, folder, installed=True, script=COLAB, **PATHS) as started:
        yield started


@pytest.fixture
def kernel(process: LiveKernel) -> Iterator[LiveKernel]:
    """The same kernel for each test, with a new helper, started as Colab's page has it started."""
    assert process.run(PREPARE).status == "ok"
    assert process.run("%load_ext gpu_headroom").outputs == []
    yield process
    process.renew()


def display_html(kernel: LiveKernel, code: str) -> str:
    """Run a cell that displays something, and return its HTML."""
    request = kernel.submit(code)
    assert kernel.result(request).status == "ok"
    return html_of(kernel, request)


def test_the_gauge_stands_in_the_output(kernel: LiveKernel) -> None:
    """Complete without its script, which is there once, and fetches nothing."""
    html = display_html(kernel, f"{HOLD}\n%gpu_headroom")
    static, _, script = html.partition("<script>")
    assert "1.0 GiB" in static
    assert "<button" not in html
    assert script.endswith("</script>")
    assert html.count("<script") == html.count("</script") == 1
    assert "https://" not in script
    assert ids_in(html)["kind"] == "gauge"


def test_a_report_is_saved_small(kernel: LiveKernel) -> None:
    """As it is carried in a notebook: its script is requested by a page that is open."""
    kernel.run("model = torch.nn.Linear(1024, 1024).cuda()")
    request = kernel.submit(
        "batch_size = 2**20\nmodel(torch.ones(batch_size, 1024, device='cuda'))"
    )
    (bundle,) = [
        content["data"]
        for kind, content in kernel.result(request).outputs
        if kind == "display_data"
    ]
    assert bundle["text/html"].endswith("</script>")
    assert len(json.dumps(bundle)) <= 18_000


def test_an_open_page_is_sent_the_script_of_a_report(kernel: LiveKernel) -> None:
    """On a comm that ends with it, or as the answer to a call."""
    before = kernel.value("list(get_ipython().kernel.comm_manager.comms)")
    opening = {"comm_id": "c", "target_name": "gpu-headroom-script", "data": {}}
    kernel.send_shell("comm_open", opening)

    def sent() -> list[tuple[str, Any]]:
        messages = [(item["msg_type"], item["content"]) for item in kernel.messages()]
        return [(kind, content) for kind, content in messages if content.get("comm_id") == "c"]

    kernel.until(lambda: len(sent()) == 2)
    (_, message), (end, _) = sent()
    testing.check(message["data"], "frame_script")
    assert end == "comm_close"
    assert invoke(kernel, {}, "gpu-headroom-script") == message["data"]
    assert kernel.value("list(get_ipython().kernel.comm_manager.comms)") == before


def test_the_table_can_still_be_had(kernel: LiveKernel) -> None:
    """`%gpu_headroom status` prints, whatever page there is."""
    assert [kind for kind, _ in kernel.run("%gpu_headroom status").outputs] == ["stream"]


def test_a_gauge_leaves_no_trace_in_the_notebook(kernel: LiveKernel) -> None:
    """Neither a result nor a count; what a person displays, asks and prints goes on."""
    count = kernel.value("get_ipython().execution_count")
    page = FramePage(kernel, ids_in(display_html(kernel, "%gpu_headroom"))["uid"])
    for _ in range(3):
        page.poll()
    assert kernel.value("(get_ipython().execution_count, list(Out), _)") == (count + 1, [], "")
    assert kernel.run("6 * 7").outputs[-1][1]["data"]["text/plain"] == "42"
    page.poll()
    assert kernel.value("_") == 42
    asking = kernel.submit("answer = input('how many? ')", allow_stdin=True)
    page.send(poll=99)
    assert kernel.answer_input("three") == "how many? "
    assert kernel.result(asking).status == "ok"
    assert kernel.value("answer") == "three"


def test_a_poll_behind_a_failing_cell_is_answered(kernel: LiveKernel) -> None:
    """Where all cells are run and one fails, the page's own requests are not aborted."""
    page = FramePage(kernel, ids_in(display_html(kernel, "%gpu_headroom"))["uid"])
    latch = kernel.latch()
    failing = kernel.submit(f"{latch.wait}\n1 / 0")
    after = kernel.submit("late = 1")
    page.send(poll=99)
    # Answered behind what is queued by now.
    kernel.debug("debugInfo", {})
    latch.release()
    page.await_envelope(lambda envelope: envelope["poll"] == 99)
    assert kernel.result(failing).status == "error"
    assert kernel.result(after).status == "aborted"


def test_a_frame_without_a_comm_asks_by_name(kernel: LiveKernel) -> None:
    """All that comes of its request is in the answer."""
    display_html(kernel, "%gpu_headroom")
    kernel.run(f"{HOLD}; del held")
    items = ["traceback", "garbage", "cache"]
    release = {"type": "release", "id": "r", "protocol_version": "2.0", "items": items}
    message = {"uid": "u", "seen": 0, "request": {**release, "confirmed": [], "report_id": None}}
    answer = invoke(kernel, message)
    assert answer["reply"]["status"] == "queued"
    (released,) = [event for _, event in answer["events"] if event["type"] == "released"]
    assert released["returned_bytes"] == 2**30


def invoke(
    kernel: LiveKernel, message: dict[str, Any], name: str = "gpu-headroom"
) -> dict[str, Any]:
    """Call the helper as the page calls a function of the kernel."""
    code = "from google.colab import output as _o"
    kernel.run(code, store_history=False, silent=True)
    reply = kernel.value(f"_o._invoke({name!r}, {json.dumps([message])!r}, '{{}}').data")
    return dict(reply)


def test_stopping_takes_everything_back(kernel: LiveKernel) -> None:
    """No target, no comm, no lease."""
    page = FramePage(kernel, ids_in(display_html(kernel, "%gpu_headroom"))["uid"])
    page.poll()
    kernel.run("%unload_ext gpu_headroom")
    manager = "get_ipython().kernel.comm_manager"
    assert "gpu-headroom-frame" not in kernel.value(f"list({manager}.targets)")
    assert page.comm_id not in kernel.value(f"list({manager}.comms)")


def test_a_package_that_can_be_imported_is_not_colab(python: Path, tmp_path: Path) -> None:
    """As on Kaggle, whose image is made from Colab's."""
    with LiveKernel(python, tmp_path, installed=True, **PATHS, COLAB_RELEASE_TAG="x") as kernel:
        kernel.run("import google.colab\n%load_ext gpu_headroom")
        assert "gpu-headroom-frame" not in kernel.value(
            "list(get_ipython().kernel.comm_manager.targets)"
        )
