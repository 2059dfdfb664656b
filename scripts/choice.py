"""What a command line names of things that have names."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection


def chosen(about: str | None, metavar: str, choices: Collection[str]) -> list[str]:
    """Return the names on the command line, or all; ends where one is not known."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("names", nargs="*", metavar=metavar, help=", ".join(choices))
    names: list[str] = parser.parse_args().names or list(choices)
    unknown = [name for name in names if name not in choices]
    if unknown:
        raise SystemExit(f"{', '.join(unknown)}: there are {', '.join(choices)}.")
    return names
