"""The kinds of items that can be freed, in the order of freeing, and what is so of each."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """What holds for all items of a kind.

    `safe` ones are freed unless something else is asked for: no variable that the user named goes;
    any other needs a click on its sentence. `selected` ones are ticked in a list beforehand. What
    is not `planned` is only freed on a wish of its own, where it is there. A `whole` one needs no
    name: it is found and freed also while another thread is inside a framework, and code does it
    in any session; where it `looks` at objects it says less then. `of_autograd` changes what a
    thread that trains may be reading or writing. What does not add headroom is for other programs.
    """

    safe: bool = False
    selected: bool = False
    planned: bool = True
    whole: bool = False
    looks: bool = True
    of_autograd: bool = False
    adds_headroom: bool = True


KINDS = {
    "traceback": Kind(safe=True, selected=True, whole=True),
    "outputs": Kind(safe=True, selected=True),
    "error": Kind(),
    "variable": Kind(),
    "leftover": Kind(),
    "rerun": Kind(planned=False),
    "graph": Kind(of_autograd=True),
    "gradients": Kind(of_autograd=True),
    "optimizer_state": Kind(of_autograd=True),
    "offload": Kind(of_autograd=True),
    "restore": Kind(of_autograd=True, adds_headroom=False),
    "framework_cache": Kind(of_autograd=True),
    "garbage": Kind(safe=True, selected=True, whole=True, looks=False),
    "cache": Kind(safe=True, whole=True, looks=False, adds_headroom=False),
}

SAFE = tuple([name for name, kind in KINDS.items() if kind.safe])


def kind_of(item_id: str) -> str:
    """Return the kind that an id begins with; `output:5` is one of the outputs."""
    kind = item_id.partition(":")[0]
    return "outputs" if kind == "output" else kind
