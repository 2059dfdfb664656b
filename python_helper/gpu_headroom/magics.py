"""`%gpu_headroom`: the helper by hand."""

from __future__ import annotations

from typing import Any

import gpu_headroom

_NAME = "gpu_headroom"
_USAGE = "Usage: %gpu_headroom [status | free | simulate [SIZE [cpu]] | stop]"


def register(shell: Any) -> None:
    """Make `%gpu_headroom` known to the shell."""
    shell.register_magic_function(_run, "line", _NAME)


def unregister(shell: Any) -> None:
    """Make the shell forget `%gpu_headroom`."""
    shell.magics_manager.magics["line"].pop(_NAME, None)


def _run(line: str) -> None:
    """Show or free GPU memory, simulate a GPU, or stop the helper.

    %gpu_headroom                  what is in use, cached, outside and free
    %gpu_headroom free             free what can be freed without deleting a variable
    %gpu_headroom simulate 16GiB   simulate a GPU; with `cpu` it computes real values
    %gpu_headroom stop             stop the helper
    """
    said = _answer(line.split())
    if said:
        print(said)  # noqa: T201  the person asked for it


def _answer(words: list[str]) -> str | None:
    if words in ([], ["status"]):
        return gpu_headroom.status()
    if words == ["free"]:
        return gpu_headroom.free()
    if words == ["stop"]:
        gpu_headroom.stop()
        return None
    if words[0] == "simulate" and words[2:] in ([], ["cpu"]):
        size = "".join(words[1:2]) or "16 GiB"
        gpu_headroom.simulate(size, compute=words[2] if words[2:] else "meta")
        return gpu_headroom.status()
    return _USAGE
