"""All results, kept beside the script: a run of a part replaces that part only."""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.causes.examination import EditTrial, Examination

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

FILE = Path(__file__).with_name("results.json")
_SINCE = {"quality": "", "larger_passes": None}  # what earlier records do not have


class Results:
    """The examinations by notebook, and what they were made with."""

    def __init__(self) -> None:
        self.versions: dict[str, str] = {}
        self.date = ""
        self.examinations: dict[str, Examination] = {}

    @classmethod
    def read(cls) -> Results:
        """Read what was measured so far."""
        results = cls()
        if FILE.exists():
            data = json.loads(FILE.read_text(encoding="utf-8"))
            results.versions, results.date = data["versions"], data["date"]
            for record in data["notebooks"]:
                results.enter(_examination(record))
        return results

    def enter(self, examination: Examination) -> None:
        """Keep an examination in place of an earlier one."""
        self.examinations[examination.notebook] = examination

    def keep_only(self, names: Iterable[str]) -> None:
        """Forget notebooks that are no more."""
        current = set(names)
        self.examinations = {k: v for k, v in self.examinations.items() if k in current}

    def save(self, versions: Mapping[str, str]) -> None:
        """Write everything, one notebook a line."""
        self.versions, self.date = dict(versions), time.strftime("%Y-%m-%d")
        head = json.dumps({"date": self.date, "versions": self.versions})[:-1]
        records = (json.dumps(asdict(entry)) for _, entry in sorted(self.examinations.items()))
        body = ",\n".join(records)
        FILE.write_text(f'{head}, "notebooks": [\n{body}\n]}}\n', encoding="utf-8")


def _examination(record: dict[str, Any]) -> Examination:
    return Examination(
        **{
            **record,
            "further": tuple(record["further"]),
            "remedies": tuple((name, kind) for name, kind in record["remedies"]),
            "edits": tuple(EditTrial(**{**_SINCE, **edit}) for edit in record["edits"]),
            "helping": tuple(record.get("helping", ())),
            "unsaid": tuple(record.get("unsaid", ())),
        }
    )
