"""Run cells in a kernel of this environment, and print what a notebook would show, as JSON.

As VS Code and every other front end without our extension does it: nothing is asked of the kernel
but to run cells. Cells come as a JSON list on standard input.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from typing import Any

from jupyter_client.manager import start_new_kernel

SHOWN = {"display_data": "data", "execute_result": "data", "stream": "text", "error": "evalue"}


def main() -> None:
    """Print the outputs of each cell."""
    cells: list[str] = json.load(sys.stdin)
    # A person's own profile is not what is tested.
    os.environ["IPYTHONDIR"] = tempfile.mkdtemp()
    manager, client = start_new_kernel(kernel_name="python3")
    outputs: list[list[Any]] = []
    try:
        for cell in cells:
            shown: list[Any] = []

            def show(message: dict[str, Any], shown: list[Any] = shown) -> None:
                kind = message["header"]["msg_type"]
                if kind in SHOWN:
                    shown.append(message["content"][SHOWN[kind]])

            client.execute_interactive(
                cell, allow_stdin=False, stop_on_error=False, timeout=60, output_hook=show
            )
            outputs.append(shown)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    print(json.dumps(outputs))


main()
