"""Google Colab: all code that depends on it.

Its front end is closed source; this relies on public sources: the class of the shell, and the place
of the cell id in a request (googlecolab/colabtools, `_shell.py`, `_history.py`).
"""

from __future__ import annotations

from typing import Any

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
