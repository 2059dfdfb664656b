"""Kernels that are Python by name, and run nothing in their own process.

`wrapper` is no IPython and says so; `forwarder` is made of IPython's own kernel, as those
are that send cells to a cluster. Both note what they are sent silently, and a cell shows
these notes: a pair of code and expressions for each.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from ipykernel.ipkernel import IPythonKernel
from ipykernel.kernelapp import IPKernelApp
from ipykernel.kernelbase import Kernel


class _Elsewhere:
    """The part that both share: what they do with a cell."""

    execution_count: int
    iopub_socket: Any
    send_response: Any

    def do_execute(
        self,
        code: str,
        silent: bool,
        store_history: bool = True,  # noqa: ARG002 -- the signature is ipykernel's
        user_expressions: dict[str, str] | None = None,
        allow_stdin: bool = False,  # noqa: ARG002 -- as above
        **_: object,
    ) -> Any:
        """Note what is silent, and show the notes in any other cell."""
        notes: list[object] = self.__dict__.setdefault("notes", [])
        if silent:
            notes.append([code, user_expressions or {}])
        else:
            output = {"name": "stdout", "text": json.dumps(notes)}
            self.send_response(self.iopub_socket, "stream", output)
        return _done(self.execution_count)


async def _done(execution_count: int) -> dict[str, object]:
    return {
        "status": "ok",
        "execution_count": execution_count,
        "payload": [],
        "user_expressions": {},
    }


class WrapperKernel(_Elsewhere, Kernel):
    """Neither IPython nor able to answer debug requests."""

    implementation = "wrapper"
    implementation_version = "1"
    language_info = {  # noqa: RUF012 -- as ipykernel's own kernels declare it
        "name": "python",
        "mimetype": "text/x-python",
        "file_extension": ".py",
    }
    banner = "wrapper"


class ForwarderKernel(_Elsewhere, IPythonKernel):
    """Says to be IPython, and is, but for where cells run."""


if __name__ == "__main__":
    KERNELS = {"wrapper": WrapperKernel, "forwarder": ForwarderKernel}
    IPKernelApp.launch_instance(kernel_class=KERNELS[sys.argv.pop(1)])
