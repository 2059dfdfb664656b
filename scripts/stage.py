"""Run a command as a stage of the tests, and keep a table of what each stage took.

`python scripts/stage.py NAME COMMAND [ARGUMENT ...]`; `--new` instead of a name forgets the stages
of an earlier run, `--table` prints the table, with exit status 1 where a stage failed.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

TABLE = Path(__file__).parents[1] / ".make" / "stages.tsv"


def run(name: str, command: list[str]) -> int:
    """Run a command, and write its seconds and exit status into the table."""
    start_s = time.monotonic()
    status = subprocess.run(command, check=False).returncode
    with TABLE.open("a") as table:
        table.write(f"{time.monotonic() - start_s:.0f}\t{status}\t{name}\n")
    return status


def print_table() -> int:
    """Print the stages in the order of their ends; stages that ran at the same time overlap."""
    rows = [line.split("\t") for line in TABLE.read_text().splitlines()]
    print("\nseconds  stage")
    for seconds, status, name in rows:
        print(f"{seconds:>7}  {name}" + ("" if status == "0" else "  FAILED"))
    return int(any(status != "0" for _, status, _ in rows))


def main(arguments: list[str]) -> int:
    """Do what the arguments say; returns an exit status."""
    TABLE.parent.mkdir(exist_ok=True)
    if arguments == ["--new"]:
        TABLE.write_text("")
        return 0
    if arguments == ["--table"]:
        return print_table()
    name, *command = arguments
    return run(name, command)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
