"""Patches of PyTorch by the simulation, stored so that all of them can be removed."""

from __future__ import annotations

from typing import Any

_MISSING = object()


class Patches:
    """Attributes that stand in for others until `restore`."""

    def __init__(self) -> None:
        self._saved: list[tuple[Any, str, Any]] = []

    def put(self, owner: Any, name: str, value: Any) -> None:
        """Set `owner.name`, keeping what `owner` itself had there, if anything."""
        self._saved.append((owner, name, vars(owner).get(name, _MISSING)))
        setattr(owner, name, value)

    def put_all(self, owner: Any, values: dict[str, Any]) -> None:
        """Set several attributes of one owner."""
        for name, value in values.items():
            self.put(owner, name, value)

    def restore(self) -> None:
        """Put everything back as it was, the last first. May be called again."""
        while self._saved:
            owner, name, value = self._saved.pop()
            if value is _MISSING:
                delattr(owner, name)
            else:
                setattr(owner, name, value)
