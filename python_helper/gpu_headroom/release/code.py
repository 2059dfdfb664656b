"""The clean-up cell: visible code that frees the same, right as it stands, without the helper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..format import format_bytes
from ..holders.survey import survey
from .outputs import unnamed_outputs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..wire import Holder

_HEAD = '''\
def _free_gpu_memory():
    """Let go of what failed cells still hold, then give unused memory back to the card."""
    import gc
    import sys

    shell = get_ipython()
    # A failed cell's variables live as long as its error is remembered (%debug needs it).
    errors = [getattr(sys, "last_value", None)]
    errors.append(getattr(shell.last_execution_result, "error_in_exec", None))
    seen = set()
    while errors:
        error = errors.pop()
        if error is not None and id(error) not in seen:
            seen.add(id(error))
            error.__traceback__ = None
            errors += [error.__cause__, error.__context__, *getattr(error, "exceptions", ())]
    for name in ("last_exc", "last_value", "last_traceback", "last_type"):
        if hasattr(sys, name):
            delattr(sys, name)
    for name in ("tb", "etype", "evalue", "pdb"):
        if hasattr(shell.InteractiveTB, name):
            setattr(shell.InteractiveTB, name, None)
    error = None
'''

_OUTPUTS = """\
    # Displayed values on the GPU that no variable holds. They stay on screen.
    for n in {numbers}:
        value = shell.history_manager.output_hist.pop(n, None)
        for names in (shell.user_ns, shell.user_ns_hidden):
            if value is not None and names.get(f"_{{n}}") is value:
                del names[f"_{{n}}"]
            for last in ("_", "__", "___"):
                if value is not None and names.get(last) is value:
                    names[last] = None
        for last in ("_", "__", "___"):
            if value is not None and getattr(shell.displayhook, last, None) is value:
                setattr(shell.displayhook, last, None)
        if getattr(shell.last_execution_result, "result", None) is value:
            shell.last_execution_result.result = None
    value = None
"""

_TAIL = """\
    gc.collect()
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        torch.cuda.empty_cache()


"""


def cleanup_code(shell: Any) -> str:
    """Return the code of a clean-up cell for the kernel as it is now.

    It leaves no name behind. The largest variables stand in it as `del` lines to uncomment.
    """
    return "".join(_pieces(shell))


def _pieces(shell: Any) -> Iterator[str]:
    yield _HEAD
    outputs = unnamed_outputs(shell)
    if outputs:
        yield _OUTPUTS.format(numbers=outputs)
    yield _TAIL
    found = survey(shell, elsewhere=False)
    held = found.ledger.largest(0, "names") if found else []
    if held:
        yield from _deletions(held)
    yield "_free_gpu_memory()\ndel _free_gpu_memory\n"


def _deletions(held: list[Holder]) -> Iterator[str]:
    yield "# Your own variables that hold most; take the # away to delete one.\n"
    for holder in held:
        yield f"# del {holder['name']}  # {format_bytes(holder['bytes'])}\n"
