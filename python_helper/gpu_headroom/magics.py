"""`%gpu_headroom`: the helper by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gpu_headroom

if TYPE_CHECKING:
    from collections.abc import Callable

_NAME = "gpu_headroom"
_USAGE = (
    "Usage: %gpu_headroom "
    "[status | holders | plan | free | snapshot [FILE] | simulate [SIZE [cpu]] | stop]"
)


def register(shell: Any) -> None:
    """Make `%gpu_headroom` known to the shell."""
    shell.register_magic_function(_run, "line", _NAME)


def unregister(shell: Any) -> None:
    """Make the shell forget `%gpu_headroom`."""
    shell.magics_manager.magics["line"].pop(_NAME, None)


def _run(line: str) -> None:
    """Show or free GPU memory, simulate a GPU, or stop the helper.

    %gpu_headroom                  what is in use, cached, outside and free
    %gpu_headroom holders          who holds what is in use, by name
    %gpu_headroom plan             what can be freed without deleting a variable
    %gpu_headroom free             free it
    %gpu_headroom snapshot         write PyTorch's memory snapshot for its viewer to a file
    %gpu_headroom simulate 16GiB   simulate a GPU; with `cpu` it computes real values
    %gpu_headroom simulate 16GiB*2 simulate two
    %gpu_headroom stop             stop the helper
    """
    said = _answer(line)
    if said:
        print(said)  # noqa: T201  the person asked for it


def _answer(line: str) -> str | None:
    command, _, rest = line.strip().partition(" ")
    more = rest.split()
    if command in _COMMANDS and not more:
        return _COMMANDS[command]()
    if command == "snapshot":
        return gpu_headroom.save_memory_snapshot(rest.strip() or None)
    if command == "simulate" and more[1:] in ([], ["cpu"]):
        gpu_headroom.simulate(
            more[0] if more else "16 GiB", compute=more[1] if more[1:] else "meta"
        )
        return gpu_headroom.status()
    return _USAGE


def _plan() -> str:
    from .summary import list_items

    return list_items(gpu_headroom.plan())


_COMMANDS: dict[str, Callable[[], str | None]] = {
    "": gpu_headroom.status,
    "status": gpu_headroom.status,
    "holders": gpu_headroom.holders,
    "plan": _plan,
    "free": gpu_headroom.free,
    "stop": gpu_headroom.stop,
}
