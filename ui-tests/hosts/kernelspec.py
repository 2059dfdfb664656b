"""A kernelspec called `python3`, of another environment than the server's."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def offer_python(folder: Path) -> None:
    """Write it into a folder of data: what the server offers as `python3` from then on."""
    argv = [os.environ["GPU_HEADROOM_KERNEL_PYTHON"], "-m", "ipykernel_launcher"]
    spec = {
        "argv": [*argv, "-f", "{connection_file}"],
        "display_name": "Python 3",
        "language": "python",
        "metadata": {"debugger": True},
    }
    kernel = folder / "kernels" / "python3"
    kernel.mkdir(parents=True, exist_ok=True)
    kernel.joinpath("kernel.json").write_text(json.dumps(spec))
