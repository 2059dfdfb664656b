"""Google Colab: all code that depends on it.

Its front end is closed source; this relies on public sources: the class of the shell, the place of
the cell id in a request (googlecolab/colabtools, `_shell.py`, `_history.py`), and callbacks by name
(`output/_js.py`).
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

NAME = "colab"
_PACKAGE = "google.colab"
CELL_ID = ("colab", "cell_id")
"""Path of the cell id in the metadata of a request."""


def is_colab(shell: Any) -> bool:
    """Whether the shell is Colab's.

    Its package and environment variables are no evidence: they are in other images too, such as
    Kaggle's.
    """
    module = type(shell).__module__
    return module == _PACKAGE or module.startswith(f"{_PACKAGE}.")


def register_callback(name: str, call: Callable[[Any], object]) -> None:
    """Have a page call `call` by name, with one argument, where no comm of its can be opened.

    Does nothing where Colab's package is not loaded. The page gets the result as JSON.
    """
    output = getattr(sys.modules.get(_PACKAGE), "output", None)
    register = getattr(output, "register_callback", None)
    if register is None:
        return
    from IPython.display import JSON

    as_json: Any = JSON
    register(name, lambda message=None: as_json(call(message)))
