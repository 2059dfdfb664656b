"""The cell that resumes a saved training.

The cell stays in the notebook below the failed cell, where everything may run again: it loads
nothing over a training that has continued since.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

_CELL = """\
# {names}: as the last step before {failure} left them.
# After a restart run the cells that make them, then this one, then go on
# training. Counters of the loop, the order of the data and random numbers
# are not in the file.
def _resume():
    import torch
{guard}
    state = torch.load({file!r}, map_location="cpu", weights_only={plain})
{loads}
    print("Loaded", *state)
_resume()
del _resume
"""
_GUARD = """\
    if {trained}:
        return print("Nothing was loaded: steps were made since. Create the model again first.")"""
_BY_HAND = """\
    is_new = False  # nothing tells if it has been trained since: True loads
    if not is_new:
        return print("Nothing was loaded: set `is_new` where it is.")"""


def resume_code(
    names: Collection[str], told_by: Collection[str], file: str, failure: str, *, plain: bool
) -> str:
    """Return the source of a cell that loads `file` into the values of these names.

    `told_by` are the optimizers whose state shows a step; a new one has none. Without any, the user
    has to confirm that the model is new.
    """
    trained = " or ".join(f"{name}.state" for name in told_by)
    return _CELL.format(
        names=", ".join(names),
        failure=failure,
        guard=_GUARD.format(trained=trained) if trained else _BY_HAND,
        file=file,
        plain=plain,
        loads="\n".join(f"    {name}.load_state_dict(state[{name!r}])" for name in names),
    )
