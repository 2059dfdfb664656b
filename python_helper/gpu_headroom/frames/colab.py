"""Google Colab: all that knows its name.

Its page is closed source; what is relied on here is read in public sources: the class of the
shell, and where a request names its cell (googlecolab/colabtools, `_shell.py`, `_history.py`).
"""

from __future__ import annotations

from typing import Any

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
