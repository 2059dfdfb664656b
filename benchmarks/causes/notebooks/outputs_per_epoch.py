# A trainer class that returns outputs from each step and keeps them for the end of the epoch
#
# cause: retained-graph
# also: activations
# edit: yes
# remedy: keep-numbers
# gpu: 8GiB
# fails: trainer.fit(loader, epochs=1)
# cure: output["aug"] = self.model(batch[0].cuda() * 0.9) => output["aug"] = self.model(batch[0].cuda() * 0.9).detach()
# source: https://github.com/Lightning-AI/pytorch-lightning/issues/8453

# %%
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class Config:
    batch_size: int = 2048
    dim: int = 4096
    depth: int = 6
    lr: float = 1e-3


cfg = Config()

# %%
@dataclass
class MiniTrainer:
    model: nn.Module
    optimizer: torch.optim.Optimizer
    history: list[dict[str, Any]] = field(default_factory=list)

    def training_step(self, batch: tuple[Tensor, Tensor]) -> dict[str, Tensor]:
        x, y = (each.to("cuda") for each in batch)
        pred = self.model(x)
        return {"loss": nn.functional.mse_loss(pred, y), "pred": pred, "target": y}

    def fit(self, loader: DataLoader, epochs: int) -> None:
        for epoch in range(epochs):
            epoch_outputs = []
            for batch in loader:
                output = self.training_step(batch)
                self.optimizer.zero_grad()
                output["loss"].backward()
                self.optimizer.step()
                # score on the augmented view, too
                output["aug"] = self.model(batch[0].cuda() * 0.9)
                epoch_outputs.append(output)
            self.history.append({"r2": r2(epoch_outputs)})


def r2(outputs: list[dict[str, Tensor]]) -> float:
    pred = torch.cat([each["pred"] for each in outputs])
    target = torch.cat([each["target"] for each in outputs])
    return 1 - ((pred - target) ** 2).mean().item()


# %%
with torch.device("cuda"):
    body = [layer for _ in range(cfg.depth) for layer in (nn.Linear(cfg.dim, cfg.dim), nn.ReLU())]
    model = nn.Sequential(nn.Linear(64, cfg.dim), *body, nn.Linear(cfg.dim, 1))
data = TensorDataset(torch.randn(80_000, 64), torch.randn(80_000, 1))
loader = DataLoader(data, batch_size=cfg.batch_size, shuffle=True)
trainer = MiniTrainer(model, torch.optim.Adam(model.parameters(), lr=cfg.lr))

# %%
trainer.fit(loader, epochs=1)
