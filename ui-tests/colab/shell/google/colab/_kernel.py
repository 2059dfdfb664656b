"""The kernel that runs cells in Colab's shell."""

from __future__ import annotations

from ipykernel.ipkernel import IPythonKernel
from ipykernel.zmqshell import ZMQInteractiveShell
from traitlets import Type

from ._shell import Shell


class Kernel(IPythonKernel):
    """IPython's kernel; start it with `--IPKernelApp.kernel_class`."""

    shell_class = Type(Shell, klass=ZMQInteractiveShell)
