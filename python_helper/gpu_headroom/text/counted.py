"""Number of processes of an engine, in words."""

from __future__ import annotations

_COUNTED = {
    "command": ("process of a cell", "processes of cells"),
    "dask": ("Dask worker", "Dask workers"),
    "ipyparallel": ("engine", "engines"),
    "process": ("process", "processes"),
    "rank": ("rank", "ranks"),
    "ray": ("Ray worker", "Ray workers"),
}


def counted(engine: str | None, count: int) -> str:
    """Return "2 ranks", "1 Dask worker"; of several engines (`None`) "3 workers"."""
    one, many = _COUNTED.get(engine or "", ("worker", "workers"))
    return f"{count} {one if count == 1 else many}"
