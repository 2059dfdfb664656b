"""The line magic `%gpu_headroom`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .. import session as sessions
from ..own import OWN

if TYPE_CHECKING:
    from collections.abc import Callable

    import gpu_headroom
else:
    gpu_headroom = import_module(OWN)

_NAME = "gpu_headroom"
_CONFIRM = "--confirm"
_HINT = "Add --confirm to free it all the same."


def register(shell: Any) -> None:
    """Register `%gpu_headroom` in the shell."""
    shell.register_magic_function(_run, "line", _NAME)


def unregister(shell: Any) -> None:
    """Remove `%gpu_headroom` from the shell."""
    shell.magics_manager.magics["line"].pop(_NAME, None)


def _run(line: str) -> None:
    """Show or free GPU memory, simulate a GPU, or stop the helper.

    %gpu_headroom                  a live gauge in Colab; elsewhere the same as `status`
    %gpu_headroom status           what is in use, cached, outside and free
    %gpu_headroom holders          who holds what is in use, by name
    %gpu_headroom plan             what can be freed, and what one loses by it
    %gpu_headroom free             free what costs no variable
    %gpu_headroom free x --confirm free the items or variables that are named
    %gpu_headroom workers          what workers hold on their GPUs
    %gpu_headroom follow           measure workers; `unfollow` takes it back
    %gpu_headroom dry-run T4       what the cells that ran need of it
    %gpu_headroom snapshot         write PyTorch's memory snapshot for its viewer to a file
    %gpu_headroom simulate 16GiB   simulate a GPU, 16GiB*2 two; with `cpu` they compute values
    %gpu_headroom stop             stop the helper
    """
    text = _answer(line)
    if text:
        print(text)  # noqa: T201  the output of the magic


def _answer(line: str) -> str | None:
    command, _, rest = line.strip().partition(" ")
    more = rest.split()
    if command in _COMMANDS and not more:
        return _COMMANDS[command]()
    if command == "free":
        return _free(more)
    if command == "dry-run":
        return gpu_headroom.dry_run(*([rest] if more else []))
    if command == "snapshot":
        return gpu_headroom.save_memory_snapshot(rest.strip() or None)
    if command == "simulate" and more[1:] in ([], ["cpu"]):
        gpu_headroom.simulate(
            more[0] if more else "16 GiB", compute=more[1] if more[1:] else "meta"
        )
        return gpu_headroom.status()
    return _run.__doc__


def _gauge() -> str | None:
    session = sessions.current()
    wing = None if session is None else session.wings.named("frames")
    if wing is None or wing.here() is None:
        return gpu_headroom.status()
    gpu_headroom.show()
    return None


def _plan() -> str:
    from .summary import list_items

    return list_items(gpu_headroom.plan())


def _free(words: list[str]) -> str:
    """Free the named items; a bare name that is not an item is a variable."""
    items = [_item(word) for word in words if word != _CONFIRM]
    try:
        return gpu_headroom.free(items or None, confirm=items if _CONFIRM in words else ())
    except ValueError as refusal:
        plan_items = [item for item in gpu_headroom.plan() if item["id"] in items]
        prices = [item["confirm"]["text"] for item in plan_items if item["confirm"]]
        return "\n".join([str(refusal), *prices, *([_HINT] if prices else [])])


def _item(word: str) -> str:
    from ..release.items import kind_of, kinds

    return word if kind_of(word) in kinds() else f"variable:{word}"


_COMMANDS: dict[str, Callable[[], str | None]] = {
    "": _gauge,
    "status": gpu_headroom.status,
    "holders": gpu_headroom.holders,
    "plan": _plan,
    "workers": gpu_headroom.workers,
    "follow": gpu_headroom.follow,
    "unfollow": gpu_headroom.unfollow,
    "stop": gpu_headroom.stop,
}
