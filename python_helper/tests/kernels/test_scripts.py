"""Where a number stands that no cell has: on a command line, in a script, in a module beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.sampling import sample

if TYPE_CHECKING:
    from pathlib import Path

    from tests.live import LiveKernel

GPU = "4GiB"
# A batch of 64 rows is 256 MiB behind the layer, and kept many times.
PARTS = """import argparse
import torch
from torch.utils.data import DataLoader, TensorDataset

def make():
    layers = [torch.nn.ReLU() for _ in range(24)]
    return torch.nn.Sequential(torch.nn.Linear(16, 2**20), *layers).cuda()

def train(model, loader):
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for (xb,) in loader:
        loss = model(xb.cuda()).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()

data = TensorDataset(torch.ones(128, 16))
"""
MAIN = f"""{PARTS}
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-b", "--batch-size", type=int, default=64)
    parser.add_argument("--epochs", type=int, default=1)
    args = parser.parse_args()
    settings = {{"batch_size": args.batch_size}}
    train(make(), DataLoader(data, **settings))

if __name__ == "__main__":
    main()
"""


@pytest.fixture
def gpu(fresh: LiveKernel, tmp_path: Path) -> LiveKernel:
    """A kernel that finds a script beside its notebook."""
    (tmp_path / "main.py").write_text(MAIN)
    fresh.run(f"import os, sys\nos.chdir({str(tmp_path)!r})\nsys.path.insert(0, '')")
    return fresh


def fail(kernel: LiveKernel, source: str) -> tuple[dict[str, Any], str]:
    """Run a cell that fails; return what is offered of a smaller batch, and the report's id."""
    run = kernel.run(source, cell_id="cell", stop_on_error=False)
    report = run.report
    remedies = {remedy["id"]: remedy for remedy in report["remedies"]}
    return remedies["smaller-batch"], report["report_id"]


def click(kernel: LiveKernel, report_id: str, source: str) -> Any:
    """Ask for the edit of the cell."""
    wish = {"report_id": report_id, "remedy_id": "smaller-batch"}
    return kernel.ask("fix", **wish, sources={"cell": source})


def passes(kernel: LiveKernel, source: str) -> bool:
    """Whether a cell comes to its end once the memory of the failed try is free."""
    kernel.run("import gpu_headroom; gpu_headroom.free_traceback()")
    return not any(kind in {"error", "display_data"} for kind, _ in kernel.run(source).outputs)


@pytest.mark.parametrize(
    ("before", "after"),
    sample(
        [
            ("%run main.py --batch-size 64", "%run main.py --batch-size 32"),
            ("%run -i main.py -b 64 --epochs 1", "%run -i main.py -b 32 --epochs 1"),
            ("%run main.py --batch-size=64", "%run main.py --batch-size=32"),
            ("%run main.py --epochs 1", "%run main.py --epochs 1 --batch-size 32"),
        ],
        3,
    ),
)
def test_the_command_line_of_a_script_is_edited(gpu: LiveKernel, before: str, after: str) -> None:
    """Where it sets the number, else where it can: no file is touched."""
    cell = f"epochs = 1\n{before}"
    offer, report_id = fail(gpu, cell)
    assert offer["kind"] == "edit", offer
    reply = click(gpu, report_id, cell)
    (edit,) = reply["edits"]
    assert (edit["old_lines"], edit["new_lines"]) == ([before], [after])
    assert reply["run"] == ["cell"]
    assert passes(gpu, after)


def literal_of(folder: Path, more: str = "") -> tuple[str, str]:
    """Write a script that has the number itself; return its text, and that with half of it."""
    script = f"{PARTS}{more}\nBATCH = 64\ntrain(make(), DataLoader(data, BATCH))\n"
    (folder / "main.py").write_bytes(script.encode())
    return script, script.replace("BATCH = 64", "BATCH = 32")


def test_a_script_is_edited_where_no_option_sets_its_number(
    gpu: LiveKernel, tmp_path: Path
) -> None:
    """The offer shows its lines; the edit has all of its text, and the page writes it."""
    before, after = literal_of(tmp_path)
    cell = "epochs = 1\n%run main.py --epochs 1"
    offer, report_id = fail(gpu, cell)
    assert offer["kind"] == "edit", offer
    line = before[: before.index("BATCH")].count("\n") + 1
    assert offer["title"]["text"] == f"`BATCH = 64` → `32` (main.py, line {line})"
    (diff,) = offer["diffs"]
    assert (diff["file"], diff["cell_id"], diff["sets"]) == ("main.py", None, "BATCH = 32")
    assert [(row["sign"], row["text"]) for row in diff["rows"]] == [
        ("-", "BATCH = 64"),
        ("+", "BATCH = 32"),
    ]
    reply = click(gpu, report_id, cell)
    (edit,) = reply["edits"]
    assert (edit["cell_id"], edit["first_line"]) == ("main.py", 1)
    assert ("\n".join(edit["old_lines"]), "\n".join(edit["new_lines"])) == (before, after)
    assert reply["run"] == ["cell"]
    assert (tmp_path / "main.py").read_text() == before
    (tmp_path / "main.py").write_text(after)
    assert click(gpu, report_id, cell)["status"] == "changed"
    assert passes(gpu, cell)


def test_line_ends_of_windows_stay(gpu: LiveKernel, tmp_path: Path) -> None:
    """The lines of the edit have them, so the page writes back all other bytes."""
    before, after = (text.replace("\n", "\r\n") for text in literal_of(tmp_path))
    (tmp_path / "main.py").write_bytes(before.encode())
    offer, report_id = fail(gpu, "%run main.py")
    (diff,) = offer["diffs"]
    assert [row["text"] for row in diff["rows"]] == ["BATCH = 64", "BATCH = 32"]
    (edit,) = click(gpu, report_id, "%run main.py")["edits"]
    assert ("\n".join(edit["old_lines"]), "\n".join(edit["new_lines"])) == (before, after)
    (tmp_path / "main.py").write_bytes(after.encode())
    assert passes(gpu, "%run main.py")


@pytest.mark.parametrize("how", ["line ends", "encoding"])
def test_bytes_that_a_page_might_change_have_no_button(
    gpu: LiveKernel, tmp_path: Path, how: str
) -> None:
    """Line ends of an old Macintosh, another encoding than UTF-8: the number is named."""
    script, _ = literal_of(tmp_path)
    latin = f"# -*- coding: latin-1 -*-\n{script}"
    text = script.replace("\n", "\r") if how == "line ends" else latin
    (tmp_path / "main.py").write_bytes(text.encode())
    offer, _ = fail(gpu, "%run main.py")
    assert (offer["kind"], offer["diffs"]) == ("suggestion", [])
    assert "main.py, line" in offer["title"]["text"]


def test_a_script_that_has_changed_since_is_not_edited(gpu: LiveKernel, tmp_path: Path) -> None:
    """Nothing of it comes with the answer."""
    before, _ = literal_of(tmp_path)
    offer, report_id = fail(gpu, "%run main.py")
    assert offer["kind"] == "edit", offer
    (tmp_path / "main.py").write_text(f"{before}\n")
    reply = click(gpu, report_id, "%run main.py")
    assert (reply["status"], reply["edits"]) == ("changed", [])
    assert "main.py" in reply["message"]["text"]


@pytest.mark.parametrize(
    ("name", "text", "load"),
    sample(
        [
            ("settings.yaml", "train:\n  batch_size: 64  # rows\n", "dict([('batch_size', 64)])"),
            ("settings.json", '{\n  "batch_size": 64\n}', "json.load(open(file))"),
        ]
    ),
)
def test_a_file_of_settings_is_named_with_its_line(
    gpu: LiveKernel, tmp_path: Path, name: str, text: str, load: str
) -> None:
    """What a cell reads from beside the notebook."""
    (tmp_path / name).write_text(text)
    (tmp_path / "parts.py").write_text(PARTS)
    cell = f"""import json
from parts import DataLoader, data, make, train
file = "{name}"
settings = (lambda file: {load})(file)
train(make(), DataLoader(data, batch_size=settings["batch_size"]))"""
    offer, _ = fail(gpu, cell)
    assert offer["kind"] == "suggestion"
    assert offer["title"]["text"] == f"`batch_size = 64` → `32` ({name}, line 2)"


def test_a_file_elsewhere_is_not_read(
    gpu: LiveKernel, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Nor is one that a link in the folder leads to: without them there is no number."""
    target = tmp_path_factory.mktemp("elsewhere") / "main.py"
    target.write_text(MAIN)
    (tmp_path / "main.py").unlink()
    (tmp_path / "main.py").symlink_to(target)
    run = gpu.run("%run main.py --epochs 1", cell_id="cell")
    report = run.report
    assert "smaller-batch" not in [remedy["id"] for remedy in report["remedies"]]


def test_a_script_of_another_folder_is_only_named(gpu: LiveKernel, tmp_path: Path) -> None:
    """A page knows files by the notebook's folder, which the kernel has left."""
    (tmp_path / "other").mkdir()
    literal_of(tmp_path / "other")
    gpu.run("import os; os.chdir('other')")
    offer, _ = fail(gpu, "%run main.py")
    assert (offer["kind"], offer["diffs"]) == ("suggestion", [])
    assert "main.py, line" in offer["title"]["text"]
