"""How far a pass had come, held to what autograd has really saved by then."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
from gpu_headroom.concurrency.turns import Turn
from gpu_headroom.holders.inspector import Inspector
from gpu_headroom.holders.modules import Model
from gpu_headroom.oom.layers import layers_of
from gpu_headroom.oom.running import Running
from gpu_headroom.oom.scene import RunningModule
from gpu_headroom.text.format import GIB
from tests.advice.cases import evidence
from torch import nn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class _Stop(Exception):  # noqa: N818  it ends a pass, and is no error
    pass


class _Residual(nn.Module):
    def __init__(self, given: int, made: int) -> None:
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(given, made, 3, 2, 1, bias=False), nn.BatchNorm2d(made)
        self.conv2, self.bn2 = nn.Conv2d(made, made, 3, 1, 1, bias=False), nn.BatchNorm2d(made)
        self.shortcut = nn.Sequential(nn.Conv2d(given, made, 1, 2, bias=False))

    def forward(self, x: Any) -> Any:
        inner = self.bn1(self.conv1(x)).relu()
        return (self.bn2(self.conv2(inner)) + self.shortcut(x)).relu()


class _Classifier(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(True), nn.MaxPool2d(2),
            nn.Conv2d(32, 64, 3, padding=1), nn.BatchNorm2d(64), nn.ReLU(True), nn.MaxPool2d(2),
        )  # fmt: skip
        self.classifier = nn.Sequential(nn.Linear(64 * 8 * 8, 256), nn.ReLU(), nn.Linear(256, 10))

    def forward(self, x: Any) -> Any:
        return self.classifier(self.features(x).flatten(1))


def _blocks(width: int, count: int) -> nn.Sequential:
    made = [nn.TransformerEncoderLayer(width, 2, 4 * width, 0.0, batch_first=True)] * count
    return nn.Sequential(*[type(made[0])(width, 2, 4 * width, 0.0, batch_first=True) for _ in made])


MODELS: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...]]] = {
    "perceptron": (
        lambda: nn.Sequential(*[nn.Sequential(nn.Linear(64, 64), nn.GELU()) for _ in range(6)]),
        (32, 64),
    ),
    "pyramid": (
        lambda: nn.Sequential(
            nn.Conv2d(3, 16, 3, 1, 1), nn.ReLU(), _Residual(16, 32), _Residual(32, 64)
        ),
        (4, 3, 64, 64),
    ),
    "classifier": (_Classifier, (4, 3, 32, 32)),
    "transformer": (lambda: _blocks(32, 4), (4, 16, 32)),
    "decoder": (
        lambda: nn.Sequential(
            nn.Conv2d(3, 16, 3, 2, 1), nn.ReLU(), nn.Conv2d(16, 32, 3, 2, 1), nn.ReLU(),
            nn.ConvTranspose2d(32, 16, 2, 2), nn.ReLU(), nn.ConvTranspose2d(16, 3, 2, 2),
        ),
        (4, 3, 32, 32),
    ),
}  # fmt: skip


def saved(model: nn.Module, given: Any, last: nn.Module | None) -> int:
    """Return the bytes that autograd has saved when a layer is done, with what that has made.

    Of the whole pass without one.
    """
    kept: dict[int, Any] = {}
    own = {each.untyped_storage().data_ptr() for each in model.parameters()}

    def pack(tensor: Any) -> Any:
        kept[tensor.untyped_storage().data_ptr()] = tensor.detach()
        return tensor

    def stop(_module: object, _given: object, made: Any) -> None:
        pack(made)
        raise _Stop

    hook = last.register_forward_hook(stop) if last is not None else None
    try:
        with torch.autograd.graph.saved_tensors_hooks(pack, lambda each: each):
            pack(model(given))
    except _Stop:
        pass
    finally:
        if hook is not None:
            hook.remove()
    return sum(each.untyped_storage().nbytes() for key, each in kept.items() if key not in own)


def ways(model: nn.Module) -> Iterator[list[nn.Module]]:
    """Yield each layer with parameters, behind the parts that it is in."""
    names = [name for name, each in model.named_modules() if not [*each.children()]]
    names = [each for each in names if "out_proj" not in each]  # attention does not call its part
    for name in names:
        steps = name.split(".")
        way = [model, *[model.get_submodule(".".join(steps[: n + 1])) for n in range(len(steps))]]
        if [*way[-1].parameters()]:
            yield way


@pytest.mark.parametrize("name", MODELS)
def test_the_share_is_what_autograd_has_saved(name: str) -> None:
    """Within a seventh of all, layer by layer."""
    make, shape = MODELS[name]
    model, given = make(), torch.randn(*shape)
    inspector, whole = Inspector(Turn(asked=False)), saved(model, given, None)
    checked = 0
    for way in ways(model):
        layers = layers_of(way, inspector)
        assert layers is not None
        done, peak = layers.done(None)
        real = saved(model, given, way[-1]) / whole
        assert 0 < done <= 1 < peak
        assert done == pytest.approx(real, abs=1 / 7), (way[-1], real)
        checked += 1
    assert checked > 3


def test_nothing_is_told_of_a_models_own_code() -> None:
    """It may be anywhere in it, and may be no model at all."""
    inspector = Inspector(Turn(asked=False))
    model = nn.Sequential(nn.Linear(2, 2))
    assert layers_of([], inspector) is None
    assert layers_of([model, model], inspector) is None
    assert layers_of([model, model[0]], inspector) is not None
    strange = nn.Linear(2, 2)
    strange.out_features = "many"  # type: ignore[assignment]  # a person's attribute may be anything
    strange.stride = object()  # type: ignore[assignment]  # likewise
    assert layers_of([nn.Sequential(strange), strange], inspector) is None


@pytest.mark.parametrize(
    "unseen",
    [
        {"models": (Model("maker", training=True), Model("judge", training=True))},
        {"modules": (RunningModule(1, "Net", "forward"), RunningModule(2, "LSTM", "forward"))},
        {"temporary_bytes": 9 * GIB},
    ],
)
def test_what_may_follow_unseen_has_room(unseen: dict[str, Any]) -> None:
    """Another model of the same step, the rest of one large call: half of it leaves no room."""
    trains: dict[str, Any] = {
        "running": Running(trains=True),
        "in_backward": True,
        "requested": GIB,
    }
    one = evidence(models=(Model("model", training=True),), **trains)
    assert one.fits(6 * GIB, 0.5)
    more = evidence(**{"models": one.models, **trains, **unseen})
    assert not more.fits(6 * GIB, 0.8)
    assert one.fits(6 * GIB, 0.8)
