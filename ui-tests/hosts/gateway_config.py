"""A kernel gateway on this machine, as JupyterLab's `--gateway-url` is given it."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from kernelspec import offer_python

offer_python(Path(os.environ["JUPYTER_DATA_DIR"]))

c = get_config()  # noqa: F821  # Jupyter runs this file with the function in its globals
c.KernelGatewayApp.ip = "127.0.0.1"
c.KernelGatewayApp.port = int(os.environ["GPU_HEADROOM_PORT"])
c.KernelGatewayApp.port_retries = 0
# Whoever shows kernels lists them.
c.JupyterWebsocketPersonality.list_kernels = True
