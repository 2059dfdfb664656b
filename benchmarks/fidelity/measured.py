"""What is measured of a program, and how two measurements compare."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

TOLERANCE = 0.05
"""How far a peak may be off before the simulator is wrong about a program."""


@dataclass(frozen=True)
class Gpu:
    """What one GPU's allocator counted over the whole program; sizes in bytes."""

    peak_in_use: int
    peak_reserved: int
    allocations: int
    retries: int
    ooms: int
    in_use: int = 0
    """At the end."""
    asked: int = 0
    """All that was ever allocated; with the rest it tells whether anything is missing."""


@dataclass(frozen=True)
class Refusal:
    """An error of no memory, whether or not the program caught it."""

    gpu: int
    asked: int
    """The bytes that the allocator asked the driver for."""
    steps: int
    """How many steps of an optimizer were done by then."""


@dataclass(frozen=True)
class Failure:
    """What ended a program."""

    kind: str
    text: str
    line: str
    """The program's own line, as it is written."""


@dataclass(frozen=True)
class Measured:
    """A program on one side."""

    gpus: tuple[Gpu, ...]
    refusals: tuple[Refusal, ...]
    failure: Failure | None

    @property
    def end(self) -> str:
        """How often memory was refused, after which steps, and where the program ended by it."""
        parts = []
        if self.refusals:
            steps = sorted({refusal.steps for refusal in self.refusals})
            times = f"{len(self.refusals)} times, " if len(self.refusals) > 1 else ""
            parts.append(f"{times}after step {', '.join(map(str, steps))}")
        if self.failure is None:
            parts.append("caught" if self.refusals else "never")
        else:
            kind = "" if self.failure.kind == "OutOfMemoryError" else f"{self.failure.kind}: "
            parts.append(f"{kind}`{self.failure.line}`")
        return ", ".join(parts)

    @classmethod
    def read(cls, data: dict[str, Any]) -> Measured:
        """Return what `asdict` and JSON made plain."""
        failure = data["failure"]
        return cls(
            tuple(Gpu(**record) for record in data["gpus"]),
            tuple(Refusal(**record) for record in data["refusals"]),
            None if failure is None else Failure(**failure),
        )


@dataclass(frozen=True)
class Comparison:
    """A program on both sides."""

    allocator: Measured
    simulator: Measured

    @property
    def ends_alike(self) -> bool:
        """Whether it ran out at the same steps, and ended on the same line or not at all."""
        ends = [
            (side.refusals, side.failure and (side.failure.kind, side.failure.line))
            for side in (self.allocator, self.simulator)
        ]
        return ends[0] == ends[1]

    @property
    def in_use(self) -> float:
        """How far the simulator's peak in use is off, as a part of the allocator's."""
        return self._off("peak_in_use")

    @property
    def reserved(self) -> float:
        """The same for the peak of what was reserved."""
        return self._off("peak_reserved")

    @property
    def allocates_alike(self) -> bool:
        """Whether each GPU's allocator was asked as often."""
        counts = [
            [gpu.allocations for gpu in side.gpus] for side in (self.allocator, self.simulator)
        ]
        return counts[0] == counts[1]

    @property
    def is_equal(self) -> bool:
        """Whether both peaks of each GPU are the same bytes, and the ends alike."""
        return self.in_use == self.reserved == 0 and self.ends_alike

    @property
    def is_close(self) -> bool:
        """Whether both peaks are within the tolerance, and the ends alike."""
        return max(abs(self.in_use), abs(self.reserved)) <= TOLERANCE and self.ends_alike

    def _off(self, name: str) -> float:
        """Return the part of the GPU that is furthest off; 1 where one side has no GPU."""
        pairs = list(zip(self.allocator.gpus, self.simulator.gpus, strict=False))
        if not pairs:
            return 1.0
        parts: list[float] = [
            (getattr(simulated, name) - getattr(real, name)) / max(getattr(real, name), 1)
            for real, simulated in pairs
        ]
        return max(parts, key=abs)
