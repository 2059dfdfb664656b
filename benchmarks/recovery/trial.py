"""One scenario, one method, one fresh kernel: what came back and what was lost."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.recovery.scenarios import PRELUDE, PRELUDE_KEPT_MIB, PRELUDE_VARIABLES

if TYPE_CHECKING:
    from benchmarks.recovery.kernels import Environment, Notebook
    from benchmarks.recovery.methods import Method
    from benchmarks.recovery.scenarios import Scenario

MIB = 2**20
_SUM = "40 + 2"
_OUTPUTS_WORK = "_ == 42 and list(Out.values())[-1] == 42"


@dataclass(frozen=True)
class Trial:
    """What was measured."""

    environment: str
    scenario: str
    method: str
    unneeded_bytes: int
    """In use when the last cell of the scenario had ended, beyond what the user's variables and
    the framework itself hold: what a restart frees and no code needs."""
    left_bytes: int
    """What is left of that. Variables that a method deletes are no merit, so they do not count."""
    lost: list[str]
    """The user's variables that are gone or hold another value."""
    alive: bool
    """Whether what the user had running goes on."""
    debug_lost: bool | None
    """Whether `%debug` would have opened the error before, and does not now; `None`: no error."""
    outputs_work: bool
    """Whether `_` and `Out` take the next displayed value."""
    took_ms: float

    @property
    def share(self) -> float | None:
        """The share that came back; `None` where there was nothing to get."""
        if self.unneeded_bytes < MIB:
            return None
        return max(0.0, 1 - self.left_bytes / self.unneeded_bytes)

    @property
    def harmless(self) -> bool:
        """Whether no variable was lost and nothing was ended."""
        return self.alive and not self.lost


def attempt(environment: Environment, scenario: Scenario, method: Method) -> Trial:
    """Run the scenario in a fresh kernel, then the method.

    Raises `AssertionError` where the scenario is not what its description says.
    """
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        environment.open(Path(folder)) as notebook,
    ):
        _prepare(notebook, method)
        for source in scenario.cells:
            notebook.cell(source)
        before = notebook.probe("before")
        took_ms = method.run(notebook, scenario)
        left_bytes = notebook.probe("unneeded_bytes")
        debuggable = before["debuggable"] and notebook.probe("debuggable")
        lost = _lost(before["variables"], notebook.probe("variables"), scenario)
        alive = not scenario.alive or notebook.probe("holds", scenario.alive)
        notebook.cell(_SUM)
        return Trial(
            environment.name,
            scenario.id,
            method.id,
            unneeded_bytes=before["beyond_overhead_bytes"] - kept_bytes(scenario),
            left_bytes=left_bytes,
            lost=lost,
            alive=alive,
            debug_lost=not debuggable if before["debuggable"] else None,
            outputs_work=notebook.probe("holds", _OUTPUTS_WORK),
            took_ms=round(took_ms, 1),
        )


def faults(environment: Environment, scenario: Scenario) -> list[str]:
    """Return how a scenario differs from its description, as a walk of its own finds it."""
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        environment.open(Path(folder)) as notebook,
    ):
        _prepare(notebook, None)
        for source in scenario.cells:
            notebook.cell(source)
        before = notebook.probe("before")
        names = notebook.probe("new_variables")
        size = notebook.probe("kept_bytes")
        rest = before["beyond_overhead_bytes"] - size
        alive = not scenario.alive or notebook.probe("holds", scenario.alive)
    checks = {
        f"its variables are {names}": names != sorted(scenario.variables),
        f"its variables hold {size} bytes": abs(size - kept_bytes(scenario)) >= MIB,
        f"a restart frees {rest} bytes": (rest < MIB) != (scenario.need == "nothing"),
        f"{scenario.alive} is not true": not alive,
    }
    return [fault for fault, is_there in checks.items() if is_there]


def kept_bytes(scenario: Scenario) -> int:
    """Return what the user's variables hold in theory, those of the prelude included."""
    return (PRELUDE_KEPT_MIB + scenario.kept_mib) * MIB


def _prepare(notebook: Notebook, method: Method | None) -> None:
    notebook.simulate()
    if method is not None and method.begin is not None:
        method.begin(notebook)
    assert notebook.cell(PRELUDE).status == "ok"
    notebook.quietly("import sys; sys.modules['probe'].begin(); del sys")


def _lost(before: dict[str, int], after: dict[str, int], scenario: Scenario) -> list[str]:
    names = (*PRELUDE_VARIABLES, *scenario.variables)
    return sorted(name for name in names if after.get(name) != before[name])
