"""`python -m gpu_headroom run script.py`: run a script as `python script.py` does."""

from __future__ import annotations

import builtins
import io
import os
import shlex
import sys
from importlib.machinery import SourceFileLoader
from types import ModuleType
from typing import TYPE_CHECKING

from ..own import bring

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

_MAIN = "__main__"


def run(script: str, arguments: Sequence[str]) -> None:
    """Run a script to its end; report this process to the notebook that started it, if any.

    An exception of the script is raised, and shown without the helper's frames. Raises `SystemExit`
    with code 2 where the file cannot be read.
    """
    path = os.path.join(os.getcwd(), script)  # noqa: PTH109, PTH118  not normalized, `..` included
    try:
        with io.open_code(path) as file:
            text = file.read()
    except OSError as error:
        reason = f"can't open file {path!r}: [Errno {error.errno}] {error.strerror}"
        sys.stderr.write(f"{sys.executable}: {reason}\n")
        raise SystemExit(2) from None
    rank, sys.argv = None, [script, *arguments]
    if "GPU_HEADROOM_RANKS" in os.environ:
        ranks = bring(".workers.own_rank")  # before the script's folder is on the path
        rank = ranks and ranks.report(f"%run {shlex.join(sys.argv)}")
    if not getattr(sys.flags, "safe_path", sys.flags.isolated):
        sys.path[0] = os.path.dirname(os.path.realpath(path))  # noqa: PTH120
    main = sys.modules[_MAIN] = _main_module(path)
    try:
        exec(compile(text, path, "exec", dont_inherit=True), vars(main))  # noqa: S102  the purpose of this function
    except SystemExit as error:
        if rank is not None and error.code:
            rank.end(error)  # Python does not keep it until exit
        raise
    except BaseException as error:
        steps = error.__traceback__
        _show_without_us(steps and steps.tb_next)
        raise


def _main_module(path: str) -> ModuleType:
    main, loader = ModuleType(_MAIN), SourceFileLoader(_MAIN, path)
    vars(main).update(__file__=path, __cached__=None, __loader__=loader, __builtins__=builtins)
    if sys.version_info < (3, 14):
        main.__annotations__ = {}
    return main


def _show_without_us(steps: TracebackType | None) -> None:
    """Have the error shown with these frames only, by the current `sys.excepthook`."""
    hook = sys.excepthook

    def show(kind: type[BaseException], error: BaseException, _: object) -> None:
        sys.excepthook = hook
        sys.last_traceback = error.__traceback__ = steps
        hook(kind, error, steps)

    sys.excepthook = show
