"""A training that a command of a cell starts runs out of memory in a process of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.kernels.test_scripts import MAIN, click
from tests.live import SOURCES, LiveKernel
from tests.programs import applied

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.live import Pack

PYTHON = "!{sys.executable}"
# Each Python that is started from here has a GPU, as real ones have; or it only prints what one
# printed at these steps, since a framework takes seconds to import.
BEGIN = """import os, sys
if "STEPS" not in os.environ:
    import gpu_simulator.on_import
    gpu_simulator.on_import.install_on_import("4GiB")
elif "ipykernel" not in str(sys.orig_argv):
    print("Traceback (most recent call last):", file=sys.stderr)
    for each in os.environ["STEPS"].split(";"):
        print("  File", each, "\\\\n    ...", file=sys.stderr)
    print("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a "
          "total capacity of 4.00 GiB of which 1.00 GiB is free.", file=sys.stderr)
    os._exit(1)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the notebook."""
    return tmp_path_factory.mktemp("notebook")


@pytest.fixture(scope="module")
def kernel(
    newest_python: Path, pack: Pack, folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LiveKernel]:
    """A kernel in that folder, without a GPU."""
    begin = tmp_path_factory.mktemp("begin")
    (begin / "sitecustomize.py").write_text(BEGIN)
    paths = {"PYTHONPATH": f"{begin}:{SOURCES}"}
    with LiveKernel(newest_python, folder, installed=True, **paths) as kernel:
        kernel.inject(pack)
        kernel.run("import os, subprocess, sys")
        yield kernel


@pytest.fixture(autouse=True)
def page(kernel: LiveKernel) -> None:
    """A page that is there."""
    kernel.attach()


def write(kernel: LiveKernel, folder: Path, **files: str) -> None:
    """Write files, and have processes print that they failed in the lines marked `# step 1` …."""
    steps = {}
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
        for number, line in enumerate(text.split("\n"), 1):
            _, mark, step = line.partition("# step ")
            if mark:
                steps[step] = f'"{folder}/{name}.py", line {number}, in train'
    frames = [steps[key] for key in sorted(steps)]
    kernel.run(f"os.environ['STEPS'] = {';'.join(frames)!r}", silent=True, store_history=False)


def fail(kernel: LiveKernel, source: str) -> Any:
    """Run a cell whose process fails; return its report."""
    run = kernel.run(source, cell_id="cell", stop_on_error=False)
    assert "out of memory" in run.text, run.outputs
    report = kernel.explain(run, "cell")
    assert report is not None
    assert report["cause"]["rule"] == "elsewhere"
    return report


def only_offer(report: Any) -> Any:
    """Return the only thing that is offered."""
    (offer,) = report["remedies"]
    assert offer["id"] == "smaller-batch"
    return offer


def edited_cell(kernel: LiveKernel, source: str) -> str:
    """Run a cell whose process fails; return the cell with the edit that its report offers."""
    offer = only_offer(report := fail(kernel, source))
    assert offer["kind"] == "edit", offer
    reply = click(kernel, report["report_id"], source)
    assert reply["run"] == ["cell"]
    return applied({"cell": source}, reply["edits"])["cell"]


def test_half_the_batch_of_a_real_process_passes(kernel: LiveKernel, folder: Path) -> None:
    """Nothing is promised: what it needs was not measured."""
    (folder / "main.py").write_text(MAIN)
    source = f"x = 64\n{PYTHON} main.py -b 64"
    offer = only_offer(fail(kernel, source))
    assert "Half as a first try" in offer["note"]["text"]
    assert (offer["effect_bytes"], offer["diffs"][0]["sets"]) == (None, None)
    half = edited_cell(kernel, source)
    assert half == source.replace("-b 64", "-b 32")
    assert "out of memory" not in kernel.run(half, cell_id="cell").text


AT = {"    main()": 1, "    train(make(), DataLoader(data, **settings))": 2}
AT |= {"        loss = model(xb.cuda()).mean()": 3}
HERE = MAIN
for line, step in AT.items():
    HERE = HERE.replace(f"{line}\n", f"{line}  # step {step}\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"{PYTHON} main.py -b 64 --epochs 1 2>&1 | cat", None),
        (f"%%time\n{PYTHON} -u ./main.py --batch-size=64 # ü", None),
        ("%%bash\nexport X=64\npython3 main.py -b 64", None),
        (f"{PYTHON} main.py \\\n    --epochs 1 \\\n    --batch-size 64", None),
        (f"{PYTHON} main.py --epochs 1", "--epochs 1 --batch-size 32"),
        (f"{PYTHON} main.py 2>&1", "main.py --batch-size 32 2>&1"),
    ],
)
def test_the_command_is_edited(
    kernel: LiveKernel, folder: Path, before: str, after: str | None
) -> None:
    """Where it sets the number, else where it can."""
    write(kernel, folder, main=HERE)
    cell = edited_cell(kernel, before)
    if after is None:
        assert cell == before[::-1].replace("46", "23", 1)[::-1]
    else:
        assert after in cell


@pytest.mark.parametrize(
    "source",
    [
        f"{PYTHON} main.py -b 64\n{PYTHON} main.py -b 64",  # which of them?
        f"n = 64\n{PYTHON} main.py -b {{n}}",
        f"{PYTHON} main.py --batch 64",
        "%%bash\nn=64; python3 main.py --batch-size=$n",
        "run = subprocess.run([sys.executable, 'main.py'], stderr=-1)\nprint(run.stderr.decode())",
    ],
)
def test_nothing_is_offered_in_doubt(kernel: LiveKernel, folder: Path, source: str) -> None:
    """The report says what happened, and no number that may be another."""
    write(kernel, folder, main=HERE)
    assert fail(kernel, source)["remedies"] == []


def test_texts_that_are_no_failure_of_a_gpu_get_no_report(kernel: LiveKernel, folder: Path) -> None:
    """Nor do cells that are not known."""
    write(kernel, folder, main=HERE)
    run = kernel.run(f"{PYTHON} main.py -b 64", cell_id="cell")
    assert kernel.explain(run, "another") is None
    run.messages[:] = [message for message in run.messages if message["msg_type"] != "stream"]
    for text in ("", "MemoryError: out of memory", "std::bad_alloc: out of memory"):
        stream = {"msg_type": "stream", "content": {"text": text}}
        run.messages.append({**run.messages[0], **stream})
        assert kernel.explain(run, "cell") is None


def test_what_is_no_batch_by_the_code_is_not_offered(kernel: LiveKernel, folder: Path) -> None:
    """A flag of that name that reaches no loader."""
    write(kernel, folder, main=HERE.replace("args.batch_size}", "len(data)}"))
    assert fail(kernel, f"{PYTHON} main.py -b 64")["remedies"] == []
