"""What real engines bring back of a worker that ran out of memory: `make test-engines`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.kernels.test_workers import FIT, MANY, SIZE, TEXT, TRAIN, card
from tests.live import LiveKernel

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.live import Pack

DASK = """
from distributed import Client, LocalCluster

cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, memory_limit=0)
client = Client(cluster)
"""
RAY = """
import ray

ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
remote = ray.remote(train)

@ray.remote
class Model:
    def step(self):
        train(1)
"""
# Each engine needs the names that the notebook's function uses.
PARALLEL = f"""
import ipyparallel

engines = ipyparallel.Cluster(n=2).start_and_connect_sync()
engines.activate()
engines[:].execute({SIZE + TRAIN!r}, block=True)
"""
ELASTIC = "from accelerate import notebook_launcher"
LIGHTNING = f"""
import lightning
from torch import nn

class Net(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)

    def training_step(self, batch, step):
        if self.global_rank:
            raise torch.OutOfMemoryError({TEXT!r})
        return self.layer(batch[0]).sum()

def fit():
    lightning.Trainer(
        accelerator="cpu", devices=2, strategy="ddp_notebook", max_steps=1, logger=False,
        enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False,
    ).fit(Net(), DataLoader(data, batch_size))
"""
BEGIN = {"dask": DASK, "ray": RAY, "ipyparallel": PARALLEL, "rank": ELASTIC, "lightning": LIGHTNING}
END = {"dask": "client.close(); cluster.close()", "ray": "ray.shutdown()"}
END["ipyparallel"] = "engines.cluster.stop_cluster_sync()"


@pytest.fixture(scope="module", params=list(BEGIN))
def engine(
    request: pytest.FixtureRequest,
    engines_python: Path,
    pack: Pack,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[LiveKernel, str]]:
    """A kernel with an engine that runs, and its name."""
    folder = tmp_path_factory.mktemp("notebook")
    # Ray writes below the home, and asks for a token.
    own: Any = {"HOME": str(folder), "RAY_AUTH_MODE": "disabled", "RAY_USAGE_STATS_ENABLED": "0"}
    with LiveKernel(engines_python, folder, **own) as kernel:
        kernel.inject(pack)
        kernel.attach()
        for cell_id, source in (("size", SIZE), ("train", TRAIN), ("begin", BEGIN[request.param])):
            run = kernel.run(source, cell_id=cell_id)
            assert run.status == "ok", run.text
        yield kernel, request.param
        kernel.run(END.get(request.param, ""))


CALLS: list[tuple[str, str, dict[str, Any]]] = [
    ("dask", "client.submit(train, 1).result()", {}),
    ("dask", "client.gather([client.submit(train, n) for n in (1, 2)])", {}),
    ("dask", "client.run(train, 1)", {}),
    ("ray", "ray.get(remote.remote(1))", {"pid": int, "host": str}),
    ("ray", "ray.get([remote.remote(n) for n in (1, 2)])", {"pid": int, "host": str}),
    ("ray", "model = Model.remote(); ray.get(model.step.remote())", {"pid": int, "host": str}),
    ("ipyparallel", "engines[1].apply_sync(train, 1)", {"rank": 1}),
    ("ipyparallel", "engines[:].apply_sync(train, 1)", {"rank": 0, "others": 1}),
    ("ipyparallel", "%%px\nimport torch\n" + TRAIN + "\ntrain(1)", {"rank": 0, "others": 1}),
    ("rank", "notebook_launcher(train, args=(1,), num_processes=2)", {"pid": int, "host": str}),
    ("lightning", "fit()", {"rank": 1, "pid": int}),
]


@pytest.mark.parametrize(("name", "source", "expected"), CALLS)
def test_a_worker_is_named_with_all_numbers(
    engine: tuple[LiveKernel, str], name: str, source: str, expected: dict[str, Any]
) -> None:
    """Whose failure it is, how much it asked for, and where in which cell."""
    kernel, running = engine
    if name != running:
        pytest.skip(f"{running} runs")
    report = card(kernel.run(source, cell_id="launch", stop_on_error=False))
    worker = report["worker"]
    assert worker["engine"] == ("rank" if name == "lightning" else name)
    assert (report["measured"], report["cause"]["rule"]) == ("message", "elsewhere")
    assert (report["requested_bytes"], report["capacity_bytes"]) == (2 * 2**30, 7 * 2**30)
    assert report["also_failed"] == expected.pop("others", 0)
    for key, value in expected.items():
        assert worker[key] == value if isinstance(value, int) else type(worker[key]) is value
    if not source.startswith("%%px"):  # which is compiled by each engine, under a name of its own
        origin = report["origin"]
        assert origin["cell_id"] == ("begin" if name == "lightning" else "train")
        assert origin["function"] in {"train", "training_step"}


MEASURED = {
    "rank": "import os\ndef go():\n    fit(int(os.environ['RANK']))\n"
    "notebook_launcher(go, num_processes=2, use_port='29571')",
    "lightning": LIGHTNING.replace(
        f"if self.global_rank:\n            raise torch.OutOfMemoryError({TEXT!r})",
        "if self.global_rank:\n            fit(1)",
    )
    + "\nfit_all()",
}
MEASURED["lightning"] = MEASURED["lightning"].replace("def fit():", "def fit_all():")


@pytest.mark.parametrize("name", list(MEASURED))
def test_launchers_that_fork_have_their_ranks_measured(
    engines_python: Path, pack: Pack, tmp_path: Path, name: str
) -> None:
    """With graphs: what only waits for processes in the launcher's own frames is no training."""
    own: Any = {"HOME": str(tmp_path), "GPU_HEADROOM_SIMULATE": "1GiB*2"}
    with LiveKernel(engines_python, tmp_path, installed=True, **own) as kernel:
        kernel.inject(pack)
        kernel.attach()
        cells = {"size": SIZE, "train": TRAIN, "many": MANY, "fit": FIT, "begin": ELASTIC}
        for cell_id, source in cells.items():
            assert kernel.run(source, cell_id=cell_id).status == "ok"
        report = card(kernel.run(MEASURED[name], cell_id="launch", stop_on_error=False))
    assert (report["measured"], report["worker"]["rank"]) == ("worker", 1)
    assert (report["device_index"], report["cause"]["rule"]) == (1, "activations")
    assert "not_attributed" not in {part["kind"] for part in report["parts"]}
