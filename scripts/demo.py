"""Open JupyterLab on a working copy of the demo notebook and print its address."""

from __future__ import annotations

import argparse
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NoReturn

DEMO = Path(__file__).resolve().parents[1] / "demo"
PORTS_TRIED = 50
CUDA_CHECK = """
import ipykernel, sklearn, torch
raise SystemExit(0 if torch.cuda.is_available() else "its PyTorch finds no CUDA device")
"""


def free_port(first: int) -> int:
    """Return the first port from `first` on that is not in use."""
    for port in range(first, first + PORTS_TRIED):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return port
    raise SystemExit(
        f"Ports {first} to {first + PORTS_TRIED - 1} are taken: name another with PORT=…"
    )


def check_kernel(python: str) -> str:
    """Return the path of a Python that can run the demo on a real GPU, or say what it lacks."""
    path = shutil.which(Path(python).expanduser())
    if path is None:
        raise SystemExit(f"PYTHON={python} is no Python: name the one of your PyTorch environment.")
    check = subprocess.run([path, "-c", CUDA_CHECK], check=False, text=True, capture_output=True)
    if check.returncode != 0:
        reason = check.stderr.strip().splitlines()[-1]
        raise SystemExit(f"{path} cannot run the demo on a real GPU: {reason}.")
    return os.path.abspath(path)  # noqa: PTH100  not resolved: a link makes a virtual environment


def offer_kernel(python: str, data: Path) -> None:
    """Let another Python be the notebook's kernel, `python3`; its environment stays as it is."""
    folder = data / "kernels" / "python3"
    folder.mkdir(parents=True)
    spec = {
        "argv": [python, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": "Python 3 (real GPU)",
        "language": "python",
    }
    folder.joinpath("kernel.json").write_text(json.dumps(spec))


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8888)
    parser.add_argument("--kernel-python", help="a Python with CUDA PyTorch and scikit-learn")
    return parser.parse_args()


def main() -> NoReturn:
    """Become a JupyterLab on a copy of the demo."""
    options = arguments()
    scratch = Path(tempfile.mkdtemp(prefix="gpu-headroom-demo-"))
    work, data = scratch / "demo", scratch / "data"
    shutil.copytree(DEMO, work, ignore=shutil.ignore_patterns(".ipynb_checkpoints", "__pycache__"))
    if options.kernel_python:
        offer_kernel(check_kernel(options.kernel_python), data)

    port, token = free_port(options.port), secrets.token_hex(16)
    print(f"\nThe demo: http://localhost:{port}/lab/tree/demo.ipynb?token={token}")
    print(f"It works on a copy in {work}. Ctrl-C ends it.\n", flush=True)
    command = [
        # `jupyter lab` would be the first one on PATH, which may be another environment's.
        *(sys.executable, "-m", "jupyterlab", "demo.ipynb"),
        *("--allow-root", "--log-level=WARN", f"--IdentityProvider.token={token}"),
        *(f"--ServerApp.port={port}", "--ServerApp.port_retries=0"),
    ]
    environment = {
        **os.environ,
        "JUPYTER_CONFIG_DIR": str(scratch / "config"),
        "JUPYTER_DATA_DIR": str(data),
        # The browser needs the cores as well: threads that wait spinning slow all down severalfold.
        "OMP_WAIT_POLICY": "PASSIVE",
    }
    os.chdir(work)
    os.execve(sys.executable, command, environment)  # noqa: S606  signals are to reach Jupyter itself


if __name__ == "__main__":
    main()
