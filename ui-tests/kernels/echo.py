"""A kernel of another language: it repeats what it is given."""

from __future__ import annotations

from ipykernel.kernelapp import IPKernelApp
from ipykernel.kernelbase import Kernel


class EchoKernel(Kernel):
    """As small as a kernel can be; it knows no requests but those of every kernel."""

    implementation = "echo"
    implementation_version = "1"
    language_info = {"name": "echo", "mimetype": "text/plain", "file_extension": ".txt"}  # noqa: RUF012 -- as ipykernel's own kernels declare it
    banner = "echo"

    async def do_execute(  # noqa: PLR0913 -- the signature is ipykernel's
        self,
        code: str,
        silent: bool,
        store_history: bool = True,  # noqa: ARG002 -- as above
        user_expressions: object = None,  # noqa: ARG002 -- as above
        allow_stdin: bool = False,  # noqa: ARG002 -- as above
        *,
        cell_meta: object = None,  # noqa: ARG002 -- as above
        cell_id: object = None,  # noqa: ARG002 -- as above
    ) -> dict[str, object]:
        """Send the code back as output."""
        if not silent:
            output = {"name": "stdout", "text": code}
            self.send_response(self.iopub_socket, "stream", output)  # type: ignore[no-untyped-call]  # ipykernel does not annotate it
        return {
            "status": "ok",
            "execution_count": self.execution_count,
            "payload": [],
            "user_expressions": {},
        }


if __name__ == "__main__":
    IPKernelApp.launch_instance(kernel_class=EchoKernel)
