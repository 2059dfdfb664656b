"""Programs that run out of memory, one after the other in one kernel, and what reports offer."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.live import REPORT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tests.live import LiveKernel, Run

START = """import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
"""
_AGAIN = "again"


@dataclass(frozen=True)
class FailedCell:
    """A cell that ran out of memory: its report, and the cells of its program by their ids."""

    kernel: LiveKernel
    report: dict[str, Any]
    sources: dict[str, str]

    def remedy(self, remedy_id: str) -> dict[str, Any]:
        """Return what it offers under an id, which has to be there: an edit or a suggestion."""
        remedies = {remedy["id"]: remedy for remedy in self.report["remedies"]}
        assert remedy_id in remedies, {name: remedy["kind"] for name, remedy in remedies.items()}
        return dict(remedies[remedy_id])

    def button(self, remedy_id: str) -> bool:
        """Whether it offers an edit that is made by a click."""
        return bool(self.remedy(remedy_id)["kind"] == "edit")

    @property
    def buttons(self) -> set[str]:
        """The ids of all edits that are made by a click."""
        return {remedy["id"] for remedy in self.report["remedies"] if remedy["kind"] == "edit"}

    def click(self, remedy_id: str, *beside: str) -> dict[str, Any]:
        """Ask for an edit as a page does, with these cells in the notebook as well."""
        cells = {f"beside-{n}": source for n, source in enumerate(beside)}
        wish = {"report_id": self.report["report_id"], "remedy_id": remedy_id}
        return dict(self.kernel.ask("fix", **wish, sources={**self.sources, **cells}))

    def edited(self, remedy_id: str) -> list[str]:
        """Click, and return the cells as the edit leaves them."""
        reply = self.click(remedy_id)
        assert reply["status"] == "ok", reply
        return list(applied(self.sources, reply["edits"]).values())


class Programs:
    """Runs programs in a kernel that they share: each finds the names and cells of its own only."""

    def __init__(self, kernel: LiveKernel) -> None:
        self._kernel = kernel
        self._numbers = itertools.count(1)
        self._before: list[str] = []

    def fail(self, *cells: str, also: str = "") -> FailedCell:
        """Run cells, of which the last runs out of memory; return it with its completed report.

        `also` is a cell that was run before, whatever came of it: what comes behind the failing one
        in the notebook.
        """
        kernel, number = self._kernel, next(self._numbers)
        self._begin()
        sources = {f"program-{number}-{n}": cell for n, cell in enumerate(cells)}
        *_, last = sources
        self._before = [*sources, f"program-{number}-behind"]
        if also:
            behind = f"program-{number}-behind"
            kernel.run(also, cell_id=behind, stop_on_error=False)
            sources[behind] = also
        for cell_id, source in sources.items():
            if cell_id.endswith("behind"):
                continue
            run = kernel.run(source, cell_id=cell_id, stop_on_error=False)
            assert (run.status == "ok") is (cell_id != last), (cell_id, run.reply, run.outputs)
        return FailedCell(kernel, completed(kernel, run), sources)

    def value(self, name: str, *cells: str) -> Any:
        """Run cells to their end, in a namespace of their own, and return a value."""
        self._forget() if self._before == [_AGAIN] else self._begin()
        self._before = [_AGAIN]
        for source in cells:
            run = self._kernel.run(source, cell_id=_AGAIN, stop_on_error=False)
            assert run.status == "ok", (source, run.reply["evalue"])
        return self._kernel.value(name)

    def _begin(self) -> None:
        """Forget the program before, and free what its error keeps."""
        self._forget()
        self._kernel.attach()
        self._kernel.free()

    def _forget(self) -> None:
        """Forget the names and the cells of the program before."""
        for cell_id in self._before:
            self._kernel.run("pass", cell_id=cell_id)
        self._kernel.run("%reset_selective -f .", cell_id="reset")


def completed(kernel: LiveKernel, run: Run) -> dict[str, Any]:
    """Return the report of a failed cell, once nothing is looked for any more."""
    reports = [content["data"][REPORT] for kind, content in run.outputs if kind == "display_data"]
    assert reports, run.outputs
    ids = {key: reports[-1][key] for key in ("helper_id", "report_id")}

    def latest() -> dict[str, Any]:
        return dict(kernel.ask("report", **ids)["report"])

    kernel.until(lambda: not latest()["looking"])
    return latest()


def applied(sources: Mapping[str, str], edits: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Make the edits of a reply in cells as a page does; they have to fit.

    From the last line to the first: an edit may change how many lines there are.
    """
    cells = dict(sources)
    for edit in sorted(edits, key=lambda item: -int(item["first_line"])):
        lines = cells[edit["cell_id"]].split("\n")
        begin = edit["first_line"] - 1
        end = begin + len(edit["old_lines"])
        assert lines[begin:end] == edit["old_lines"], f"the lines are others: {edit}"
        cells[edit["cell_id"]] = "\n".join([*lines[:begin], *edit["new_lines"], *lines[end:]])
    return cells
