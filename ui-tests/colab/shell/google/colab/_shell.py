"""The shell by whose class a kernel is known as Colab's."""

from __future__ import annotations

from ipykernel.zmqshell import ZMQInteractiveShell


class Shell(ZMQInteractiveShell):
    """IPython's shell in a kernel, of another name."""
