"""The Jupyter server of the browser tests; playwright.config.js says where it keeps its files."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from babel.messages.pofile import read_po
from jupyterlab.galata import configure_jupyter_server

HERE = Path(__file__).resolve().parent
HOME = Path(os.environ["GPU_HEADROOM_UI_TESTS"])
KERNEL_617 = HERE.parent / ".venvs" / "kernel-6.17" / "bin" / "python"
# The newest kernel, with Dask.
FAMILIES = HERE.parent / ".venvs" / "families" / "bin" / "python"
ELSEWHERE = HERE / "kernels" / "elsewhere.py"
CONNECTION = ["-f", "{connection_file}"]
KERNELS = {
    "without-helper": [sys.executable, str(HERE / "kernels" / "without_helper.py"), *CONNECTION],
    "kernel-6.17": [str(KERNEL_617), "-m", "ipykernel_launcher", *CONNECTION],
    "families": [str(FAMILIES), "-m", "ipykernel_launcher", *CONNECTION],
    "echo": [sys.executable, str(HERE / "kernels" / "echo.py"), *CONNECTION],
    "wrapper": [sys.executable, str(ELSEWHERE), "wrapper", *CONNECTION],
    "forwarder": [sys.executable, str(ELSEWHERE), "forwarder", *CONNECTION],
}
KERNEL_PYTHON = os.environ.get("GPU_HEADROOM_KERNEL_PYTHON")
if KERNEL_PYTHON:
    KERNELS["python3"] = [KERNEL_PYTHON, "-m", "ipykernel_launcher", *CONNECTION]
CUDA_PYTHON = os.environ.get("GPU_HEADROOM_CUDA_PYTHON")
if CUDA_PYTHON:
    KERNELS["cuda"] = [CUDA_PYTHON, "-m", "ipykernel_launcher", *CONNECTION]
LANGUAGES = {"echo": "echo"}
PSEUDO = "ach_UG"  # what Jupyter takes for a language that nobody speaks


def offer_kernel(name: str, argv: list[str]) -> None:
    """Write the kernelspec that adds a kernel to those of the environment."""
    folder = Path(os.environ["JUPYTER_DATA_DIR"]) / "kernels" / name
    folder.mkdir(parents=True)
    language = LANGUAGES.get(name, "python")
    variables = json.loads(os.environ["GPU_HEADROOM_CUDA_VARIABLES"]) if name == "cuda" else {}
    spec = {
        "argv": argv,
        "display_name": name,
        "language": language,
        "metadata": {},
        "env": variables,
    }
    folder.joinpath("kernel.json").write_text(json.dumps(spec))


def disable(extensions: list[str]) -> None:
    """Leave extensions of the environment out of its pages."""
    page_config = Path(os.environ["JUPYTER_CONFIG_DIR"]) / "labconfig" / "page_config.json"
    page_config.parent.mkdir(parents=True)
    page_config.write_text(json.dumps({"disabledExtensions": dict.fromkeys(extensions, True)}))


def offer_language() -> None:
    """Install a language pack for the server alone: each sentence of ours in brackets."""
    collected = HOME / "gpu_headroom.pot"
    subprocess.run(
        ["node", str(HERE.parent / "scripts" / "translations.mjs"), str(collected)],
        env={**os.environ, "PYTHON": sys.executable},
        check=True,
    )
    with collected.open(encoding="utf-8") as file:
        sentences = [each for each in read_po(file) if each.id]
    pack: dict[str, object] = {
        each.id[0] if each.pluralizable else each.id: [
            f"⟦{form}⟧" for form in (each.id if each.pluralizable else [each.id])
        ]
        for each in sentences
    }
    pack[""] = {
        "language": PSEUDO.replace("_", "-"),
        "plural_forms": "nplurals=2; plural=(n != 1);",
    }
    folder = HOME / "languages"
    package, about = folder / "in_brackets", folder / "in_brackets-1.dist-info"
    package.mkdir(parents=True)
    about.mkdir()
    package.joinpath("__init__.py").touch()
    package.joinpath("gpu_headroom.json").write_text(json.dumps(pack))
    about.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: in-brackets\nVersion: 1\n")
    about.joinpath("entry_points.txt").write_text(
        f"[jupyterlab.languagepack]\n{PSEUDO} = in_brackets\n"
    )
    sys.path.insert(0, str(folder))


shutil.rmtree(HOME, ignore_errors=True)
Path(os.environ["JUPYTERLAB_GALATA_ROOT_DIR"]).mkdir(parents=True)
for kernel, command in KERNELS.items():
    offer_kernel(kernel, command)
offer_language()

# What is measured over time is measured without us as well, to compare.
if os.environ.get("GPU_HEADROOM_IS_DISABLED"):
    disable(["gpu-headroom"])

# Of these `benchmarks/peers.py` has one at work, or none.
PEERS = {
    "gpu-headroom": "",
    "@jupyter-server/resource-usage": "jupyter_resource_usage",
    "jupyterlab-nvdashboard": "jupyterlab_nvdashboard",
}
peer = os.environ.get("GPU_HEADROOM_PEER")
if peer is not None:
    disable([name for name in PEERS if name != peer])
    extensions = {PEERS[name]: name == peer for name in PEERS if PEERS[name]}
    get_config().ServerApp.jpserver_extensions = extensions  # noqa: F821  as below

# The browser needs the cores as well: threads that wait spinning slow all down severalfold.
os.environ["OMP_WAIT_POLICY"] = "PASSIVE"

c = get_config()  # noqa: F821  # Jupyter runs this file with the function in its globals
configure_jupyter_server(c)
c.ServerApp.port = int(os.environ["GPU_HEADROOM_PORT"])
c.ServerApp.allow_root = True
c.JupyterNotebookApp.expose_app_in_browser = True
# What people type together is kept beside the notebooks, not in the folder of the tests.
c.SQLiteYStore.db_path = str(HOME / "ystore.db")
GATEWAY = os.environ.get("GPU_HEADROOM_GATEWAY")
if GATEWAY:
    c.GatewayClient.url = GATEWAY
