"""Google Colab: all that knows its name.

Its page is closed source; what is relied on here is read in public sources: the class of the
shell, where a request names its cell (googlecolab/colabtools, `_shell.py`, `_history.py`), and
callbacks by name (`output/_js.py`).
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

NAME = "colab"
_PACKAGE = "google.colab"
CELL_ID = ("colab", "cell_id")
"""Where the metadata of a request names its cell."""


def is_colab(shell: Any) -> bool:
    """Whether the shell is Colab's.

    Its package and its environment variables are in images of others too, such as Kaggle's.
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
