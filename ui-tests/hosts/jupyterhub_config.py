"""A hub for everybody who says a name, with servers that are processes of this machine.

Their kernels are culled after some seconds at rest, with a page on them or without; servers that
nobody uses by `jupyterhub-idle-culler`.
"""

import os
import shutil
import sys
from pathlib import Path

from jupyterhub.spawner import SimpleLocalProcessSpawner

sys.path.insert(0, str(Path(__file__).parent))
from kernelspec import offer_python

HOME = Path(os.environ["GPU_HEADROOM_UI_TESTS"])
PORT = int(os.environ["GPU_HEADROOM_PORT"])
CULL_AFTER_S = 8

shutil.rmtree(HOME, ignore_errors=True)
HOME.mkdir(parents=True)
offer_python(HOME / "data")

c = get_config()  # noqa: F821  # JupyterHub runs this file with the function in its globals
c.JupyterHub.bind_url = f"http://127.0.0.1:{PORT}/under/"
c.JupyterHub.hub_bind_url = f"http://127.0.0.1:{PORT + 1}"
c.JupyterHub.authenticator_class = "dummy"
c.JupyterHub.spawner_class = SimpleLocalProcessSpawner
c.JupyterHub.db_url = f"sqlite:///{HOME / 'hub.sqlite'}"
c.JupyterHub.cookie_secret_file = str(HOME / "cookie_secret")
c.ConfigurableHTTPProxy.command = [os.environ["GPU_HEADROOM_PROXY"]]
c.ConfigurableHTTPProxy.api_url = f"http://127.0.0.1:{PORT + 2}"
c.ConfigurableHTTPProxy.pid_file = str(HOME / "proxy.pid")
c.ConfigurableHTTPProxy.auth_token = "a-proxy-of-these-tests-alone"  # noqa: S105  on this machine
c.Authenticator.allow_all = True
c.SimpleLocalProcessSpawner.home_dir_template = str(HOME / "{username}")
c.Spawner.default_url = "/lab"
c.Spawner.args = [
    "--allow-root",
    "--LabApp.expose_app_in_browser=True",
    f"--MappingKernelManager.cull_idle_timeout={CULL_AFTER_S}",
    "--MappingKernelManager.cull_interval=1",
    "--MappingKernelManager.cull_connected=True",
]
c.Spawner.environment = {
    "JUPYTER_DATA_DIR": str(HOME / "data"),
    "JUPYTER_PREFER_ENV_PATH": "0",
    "OMP_NUM_THREADS": "1",
}
c.JupyterHub.load_roles = [
    {
        "name": "culler",
        "scopes": ["list:users", "read:users:activity", "read:servers", "delete:servers"],
        "services": ["culler"],
    }
]
c.JupyterHub.services = [
    {
        "name": "culler",
        "command": [sys.executable, "-m", "jupyterhub_idle_culler", "--timeout=600"],
    }
]
