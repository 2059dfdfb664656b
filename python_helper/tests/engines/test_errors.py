"""What launchers of ranks bring back of one that ran out of memory: `make test-engines`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.kernels.test_workers import FIT, MANY, SIZE, TEXT, TRAIN
from tests.live import attached

if TYPE_CHECKING:
    from pathlib import Path

    from tests.live import Pack

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
    variables: Any = {"HOME": str(tmp_path), "GPU_HEADROOM_SIMULATE": "1GiB*2"}
    with attached(engines_python, tmp_path, pack, installed=True, **variables) as kernel:
        cells = {"size": SIZE, "train": TRAIN, "many": MANY, "fit": FIT, "begin": ELASTIC}
        for cell_id, source in cells.items():
            assert kernel.run(source, cell_id=cell_id).status == "ok"
        report = kernel.run(MEASURED[name], cell_id="launch", stop_on_error=False).report
    assert (report["measured"], report["worker"]["rank"]) == ("worker", 1)
    assert (report["device_index"], report["cause"]["rule"]) == (1, "activations")
    assert "not_attributed" not in {part["kind"] for part in report["parts"]}
