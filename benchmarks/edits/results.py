"""The verdicts, kept beside the script: a run of a kind replaces those of that kind only."""

from __future__ import annotations

import json
import time
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.edits.judge import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

FILE = Path(__file__).with_name("results.json")


@dataclass
class OfKind:
    """What came of one kind: of each program as people write them, and of generated ones by count.

    `seed` is the first of the generated programs.
    """

    promise: str = ""
    programs: list[Verdict] = field(default_factory=list)
    generated: dict[str, int] = field(default_factory=dict)
    seed: int = 0

    def enter_generated(self, verdicts: Iterable[Verdict], seed: int) -> None:
        """Count the verdicts on generated programs."""
        self.generated, self.seed = dict(Counter(each.verdict for each in verdicts)), seed


class Results:
    """What came of each kind, and what it was made with."""

    def __init__(self) -> None:
        self.versions: dict[str, str] = {}
        self.date = ""
        self.kinds: dict[str, OfKind] = {}

    @classmethod
    def read(cls) -> Results:
        """Read what was measured so far."""
        found = cls()
        if FILE.exists():
            kept = json.loads(FILE.read_text(encoding="utf-8"))
            found.versions, found.date = kept["versions"], kept["date"]
            for kind, record in kept["kinds"].items():
                programs = [
                    Verdict(**{**each, "why": tuple(each["why"])}) for each in record["programs"]
                ]
                found.kinds[kind] = OfKind(**{**record, "programs": programs})
        return found

    def keep_only(self, kinds: Iterable[str]) -> None:
        """Forget kinds that are no more."""
        kept = set(kinds)
        self.kinds = {kind: each for kind, each in self.kinds.items() if kind in kept}

    def save(self, versions: Mapping[str, str]) -> None:
        """Write everything, one program a line."""
        self.versions, self.date = dict(versions), time.strftime("%Y-%m-%d")
        kinds = []
        for kind, each in sorted(self.kinds.items()):
            said = {"promise": each.promise, "generated": each.generated, "seed": each.seed}
            lines = ",\n".join(json.dumps(asdict(one)) for one in each.programs)
            kinds.append(
                f'{json.dumps(kind)}: {json.dumps(said)[:-1]}, "programs": [\n{lines}\n]}}'
            )
        head = json.dumps({"date": self.date, "versions": self.versions})[:-1]
        body = ",\n".join(kinds)
        FILE.write_text(f'{head}, "kinds": {{\n{body}\n}}}}\n', encoding="utf-8")
