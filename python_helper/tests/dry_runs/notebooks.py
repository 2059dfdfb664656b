"""Notebooks in files, as the command of a dry run reads them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def write(path: Path, *cells: str) -> Path:
    """Write a notebook of these cells of code."""
    entries = [
        {"cell_type": "code", "source": code, "metadata": {}, "outputs": [], "execution_count": 1}
        for code in cells
    ]
    path.write_text(json.dumps({"cells": entries, "metadata": {}, "nbformat": 4}), "utf-8")
    return path
