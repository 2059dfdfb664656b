"""How far a pass had come, held to what autograd has really saved by then."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
import torch
from gpu_headroom.concurrency.turns import Turn
from gpu_headroom.holders.inspector import Inspector
from gpu_headroom.holders.modules import Model
from gpu_headroom.oom.layers import GRADIENTS, layers_of
from gpu_headroom.oom.running import Running
from gpu_headroom.oom.scene import RunningModule
from gpu_headroom.text.format import GIB, MIB
from tests.advice.cases import evidence, group
from torch import nn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class _Stop(Exception):  # noqa: N818  it ends a pass, and is no error
    pass


class _Residual(nn.Module):
    def __init__(self, c_in: int, c_out: int) -> None:
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(c_in, c_out, 3, 2, 1, bias=False), nn.BatchNorm2d(c_out)
        self.conv2, self.bn2 = nn.Conv2d(c_out, c_out, 3, 1, 1, bias=False), nn.BatchNorm2d(c_out)
        self.shortcut = nn.Sequential(nn.Conv2d(c_in, c_out, 1, 2, bias=False))

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
    nets = [nn.TransformerEncoderLayer(width, 2, 4 * width, 0.0, batch_first=True)] * count
    return nn.Sequential(*[type(nets[0])(width, 2, 4 * width, 0.0, batch_first=True) for _ in nets])


class _Gated(nn.Module):
    """Squeeze and excitation, as torchvision writes it."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.conv, self.norm = nn.Conv2d(width, width, 3, 1, 1), nn.BatchNorm2d(width)
        self.pool, self.act = nn.AdaptiveAvgPool2d(1), nn.ReLU()
        self.fc1, self.fc2 = nn.Conv2d(width, width // 4, 1), nn.Conv2d(width // 4, width, 1)

    def forward(self, x: Any) -> Any:
        x = self.norm(self.conv(x))
        return x * self.fc2(self.act(self.fc1(self.pool(x)))).sigmoid()


class _Step(nn.Module):
    """A step of a diffusion model: a convolution, and a time that goes in."""

    def __init__(self, c_in: int, c_out: int) -> None:
        super().__init__()
        self.norm, self.conv1 = nn.GroupNorm(4, c_in), nn.Conv2d(c_in, c_out, 3, 1, 1)
        self.time = nn.Linear(64, c_out)
        self.conv2, self.act = nn.Conv2d(c_out, c_out, 3, 1, 1), nn.SiLU()

    def forward(self, x: Any, time: Any) -> Any:
        return self.conv2(self.act(self.conv1(self.norm(x)) + self.time(time)[:, :, None, None]))


class _Diffusion(nn.Module):
    """Registered as diffusers' are: down, up, middle."""

    def __init__(self) -> None:
        super().__init__()
        self.conv_in, self.time = nn.Conv2d(3, 16, 3, 1, 1), nn.Linear(16, 64)
        self.down_blocks = nn.ModuleList([_Step(16, 16), nn.Conv2d(16, 16, 3, 2, 1), _Step(16, 32)])
        self.up_blocks = nn.ModuleList(
            [_Step(64, 32), nn.ConvTranspose2d(32, 32, 2, 2), _Step(48, 16)]
        )
        self.mid_block = _Step(32, 32)
        self.conv_out = nn.Conv2d(16, 3, 3, 1, 1)

    def forward(self, x: Any) -> Any:
        time = self.time(torch.ones(len(x), 16))
        first = self.down_blocks[0](self.conv_in(x), time)
        second = self.down_blocks[2](self.down_blocks[1](first), time)
        x = self.mid_block(second, time)
        x = self.up_blocks[0](torch.cat([x, second], 1), time)
        x = self.up_blocks[2](torch.cat([self.up_blocks[1](x), first], 1), time)
        return self.conv_out(x)


class _Generator(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.row = nn.Linear(10, 32 * 8 * 8)
        self.image = nn.Sequential(
            nn.BatchNorm2d(32), nn.Upsample(scale_factor=2), nn.Conv2d(32, 32, 3, 1, 1),
            nn.BatchNorm2d(32), nn.LeakyReLU(0.2, inplace=True), nn.Conv2d(32, 64, 3, 1, 1),
            nn.PixelShuffle(2), nn.PReLU(), nn.Conv2d(16, 3, 3, 1, 1), nn.Tanh(),
        )  # fmt: skip

    def forward(self, x: Any) -> Any:
        return self.image(self.row(x).view(-1, 32, 8, 8))


class _Growing(nn.Module):
    """Puts what it makes behind what it is given, as DenseNet does."""

    def __init__(self, c_in: int) -> None:
        super().__init__()
        self.norm, self.conv = nn.BatchNorm2d(c_in), nn.Conv2d(c_in, 8, 3, 1, 1)

    def forward(self, x: Any) -> Any:
        return torch.cat([x, self.conv(self.norm(x))], 1)


class _Autoencoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc1, self.fc21, self.fc22 = nn.Linear(96, 64), nn.Linear(64, 8), nn.Linear(64, 8)
        self.fc3, self.fc4 = nn.Linear(8, 64), nn.Linear(64, 96)

    def forward(self, x: Any) -> Any:
        x = self.fc1(x).relu()
        return self.fc4(self.fc3(self.fc21(x) + self.fc22(x).exp()).relu())


class _Shortcut(nn.Module):
    """A shortcut that is pooled, as timm's: its convolution leaves the area."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(16, 32, 3, 2, 1), nn.Conv2d(32, 64, 3, 1, 1)
        self.downsample = nn.Sequential(nn.AvgPool2d(2), nn.Conv2d(16, 64, 1))

    def forward(self, x: Any) -> Any:
        return self.conv2(self.conv1(x)) + self.downsample(x)


class _PatchMerging(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, 32, 4, 4)
        self.first, self.reduction = nn.Sequential(nn.Linear(32, 64), nn.GELU()), nn.Linear(256, 64)
        self.second = nn.Sequential(nn.Linear(64, 128), nn.GELU(), nn.Linear(128, 64))

    def forward(self, x: Any) -> Any:
        x = self.first(self.patches(x).flatten(2).transpose(1, 2))
        return self.second(self.reduction(x.reshape(len(x), -1, 256)))


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
    "gates": (
        lambda: nn.Sequential(nn.Conv2d(3, 16, 3, 1, 1), *[_Gated(16) for _ in range(6)]),
        (4, 3, 32, 32),
    ),
    "diffusion": (_Diffusion, (4, 3, 32, 32)),
    "generator": (_Generator, (16, 10)),
    "growing": (
        lambda: nn.Sequential(
            nn.Conv2d(3, 16, 3, 1, 1), *[_Growing(16 + 8 * n) for n in range(6)],
            nn.BatchNorm2d(64), nn.Conv2d(64, 64, 3, 1, 1),
        ),
        (4, 3, 32, 32),
    ),
    "autoencoder": (_Autoencoder, (64, 96)),
    "shortcut": (
        lambda: nn.Sequential(
            nn.Conv2d(3, 16, 3, 1, 1), _Shortcut(), nn.Conv2d(64, 128, 3, 1, 1),
            nn.Conv2d(128, 64, 3, 1, 1),
        ),
        (4, 3, 32, 32),
    ),
    "merging": (_PatchMerging, (4, 3, 32, 32)),
}  # fmt: skip


def saved_bytes(model: nn.Module, inputs: Any, last: nn.Module | None) -> int:
    """Return the bytes that autograd has saved when a layer is done, with what that has made.

    Of the whole pass without one.
    """
    tensors: dict[int, Any] = {}
    own = {value.untyped_storage().data_ptr() for value in model.parameters()}

    def pack(tensor: Any) -> Any:
        tensors[tensor.untyped_storage().data_ptr()] = tensor.detach()
        return tensor

    def stop(_module: object, _inputs: object, output: Any) -> None:
        pack(output)
        raise _Stop

    hook = last.register_forward_hook(stop) if last is not None else None
    try:
        with torch.autograd.graph.saved_tensors_hooks(pack, lambda value: value):
            pack(model(inputs))
    except _Stop:
        pass
    finally:
        if hook is not None:
            hook.remove()
    return sum(value.untyped_storage().nbytes() for key, value in tensors.items() if key not in own)


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
    model, inputs = make(), torch.randn(*shape)
    inspector, whole = Inspector(Turn(asked=False)), saved_bytes(model, inputs, None)
    checked = 0
    for way in ways(model):
        layers = layers_of(way, inspector)
        assert layers is not None
        done, total = layers.done(None, keeps=True, trains=False)
        assert 0 < done <= total < layers.done(None, keeps=True)[1]
        real = saved_bytes(model, inputs, way[-1]) / whole
        assert done / total == pytest.approx(real, abs=1 / 7), (way[-1], real)
        checked += 1
    assert checked > 3


def test_what_is_no_model_tells_nothing() -> None:
    """Whatever stands in attributes of the names that layers have."""
    inspector = Inspector(Turn(asked=False))
    assert layers_of([], inspector) is None
    strange = nn.Linear(2, 2)
    strange.out_features = "many"  # type: ignore[assignment]  # a person's attribute may be anything
    strange.stride = object()  # type: ignore[assignment]  # likewise
    assert layers_of([nn.Sequential(strange), strange], inspector) is None


def test_a_model_that_takes_what_the_running_one_makes_follows_it() -> None:
    """As a discriminator does, with the condition or without; no other."""
    inspector = Inspector(Turn(asked=False))
    part = nn.Sequential(nn.Conv2d(8, 3, 1))
    way = [nn.Sequential(part), part, part[0]]
    judge, with_condition = nn.Conv2d(3, 4, 1), nn.Sequential(nn.Conv2d(6, 4, 1))
    frozen, stranger = nn.Conv2d(4, 4, 1).requires_grad_(requires_grad=False), nn.Linear(100, 8)
    alone = layers_of(way, inspector, [stranger])
    assert alone is not None
    assert (alone.values, alone.followers) == ((8.0, 3.0), 0)
    followed = layers_of(way, inspector, [stranger, judge, frozen])
    assert followed is not None
    assert (followed.values, followed.followers) == ((8.0, 3.0, 4.0, 4.0), 1)
    joined = layers_of(way, inspector, [with_condition])
    assert joined is not None
    assert joined.followers == 1
    assert joined.at == alone.at


def test_a_layer_of_two_names_is_one() -> None:
    """Wrappers keep the model that they are given under a second name."""
    inspector = Inspector(Turn(asked=False))
    inner = nn.Sequential(nn.Linear(4, 8), nn.Linear(8, 2))
    wrapper = nn.Module()
    wrapper.module = wrapper.original = inner
    layers = layers_of([wrapper, inner, inner[0]], inspector)
    assert layers is not None
    assert (layers.values, layers.at) == ((4.0, 8.0, 2.0), 1)


def test_the_optimizers_state_is_told_by_a_script_too() -> None:
    """A script that is run in the notebook has the line that makes the optimizer."""
    plain = evidence(running=Running(trains=True), kinds={"parameters": GIB})
    script = replace(plain.failure.cell, source="opt = torch.optim.Adam(net.parameters())")
    facts = replace(plain, scene=replace(plain.scene, files=(script,)))
    assert facts.peak.step_bytes == plain.peak.step_bytes + 2 * GIB


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
    single = evidence(models=(Model("model", training=True),), **trains)
    assert single.peak.fits(6 * GIB, 0.5)
    more = evidence(**{"models": single.models, **trains, **unseen})
    assert not more.peak.fits(6 * GIB, 0.75)
    assert single.peak.fits(6 * GIB, 0.75)


def test_of_a_models_own_code_only_a_graph_tells_how_far_it_had_come() -> None:
    """Of four layers alike the graph has two: of 7 times what one makes at the peak there are 3."""
    inspector, run = Inspector(Turn(asked=False)), Running(trains=True)
    model = nn.Sequential(*[nn.Linear(8, 8) for _ in range(4)])
    begun = evidence(running=run, kinds={"parameters": GIB, "activations": 4 * GIB})
    begun = replace(begun, scene=replace(begun.scene, layers=layers_of([model, model], inspector)))
    assert begun.peak.progress == 1  # nothing tells
    graph = group("x in forward", 4 * GIB, "activations", origin="traceback")
    net = group("net", GIB, "parameters", progress=0.5)
    assert replace(begun, groups=(net, graph)).peak.progress == pytest.approx(3 / 7)


def test_a_recurrent_call_has_its_rest_to_make() -> None:
    """Its input tells how large all of it will be: 96 values of 4 MiB, and twice that behind it."""
    model, inspector = nn.Sequential(nn.LSTM(8, 16), nn.Linear(16, 4)), Inspector(Turn(asked=False))
    call = RunningModule(1, "LSTM", "_call_impl", given=(1024, 1024, 8))
    modules = (call, RunningModule(1, "LSTM", "forward"))
    fields: dict[str, Any] = {"running": Running(trains=True), "modules": modules, "cached": 0}
    for free, fits in ((1100 * MIB, False), (1300 * MIB, True)):
        facts = evidence(requested=4 * MIB, free=free, **fields)
        scene = replace(facts.scene, layers=layers_of([model, model[0]], inspector))
        assert replace(facts, scene=scene).peak.fits(0, 1.0) is fits


def test_what_an_earlier_error_holds_is_none_of_the_pass() -> None:
    """Both tries have variables of the same names."""
    graph = group("x in forward", 8 * GIB, "activations", origin="traceback")
    fields: dict[str, Any] = {"running": Running(trains=True), "kinds": {"activations": 8 * GIB}}
    facts = evidence(groups=(graph,), **fields)
    assert not facts.peak.fits(8 * GIB, 0.5)
    assert replace(facts, earlier_traceback_bytes=4 * GIB).peak.fits(8 * GIB, 0.5)


def test_a_model_whose_graph_is_there_has_run() -> None:
    """As the images that a generator has made are judged."""
    graph = group("score in penalty", GIB, "activations", origin="traceback")
    fields: dict[str, Any] = {"running": Running(trains=True), "in_backward": True}
    fields["models"] = (Model("maker", training=True), Model("judge", training=True))
    alone = evidence(groups=(graph,), kinds={"activations": GIB}, requested=GIB, **fields)
    assert alone.peak.room_left < 1
    assert replace(alone, kinds={"activations": 6 * GIB}).peak.room_left == 1


def test_training_behind_an_evaluation_has_its_state_to_make() -> None:
    """The code that called it names a backward pass, and no step was made."""
    code = {"source": "optimizer = torch.optim.Adam(net.parameters())", "free": 9 * GIB}
    fields: dict[str, Any] = {**code, "kinds": {"parameters": 2 * GIB}}
    only = evidence(running=Running(), **fields)
    trains = evidence(running=Running(calls=frozenset({"backward", "step"})), **fields)
    assert only.peak.fits(2 * GIB, 1.0)
    assert not trains.peak.fits(2 * GIB, 1.0)


class Block(nn.Module):
    """A block whose call holds what it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.wide, self.narrow = nn.Linear(8, 32), nn.Linear(32, 8)


def test_calls_hold_what_parts_were_given() -> None:
    """Where nothing is kept the input of a block is there beside what its last layer makes."""
    model, inspector = nn.Sequential(nn.Linear(8, 8), Block()), Inspector(Turn(asked=False))
    layers = layers_of([model, model[1], model[1].narrow], inspector)
    assert layers is not None
    there, _ = layers.done(None, keeps=False)
    assert there == 8 + 8 + 32 + 8  # with what the model is given


def test_a_loss_makes_as_much_as_the_last_layer() -> None:
    """What follows a model that trains has no layer: of logits it is larger than all of these."""
    model, inspector = (
        nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 100)),
        Inspector(Turn(asked=False)),
    )
    layers = layers_of([model, model[0]], inspector)
    assert layers is not None
    assert layers.done(None, keeps=True)[1] == 8 + 8 + 100 + (1 + GRADIENTS) * 100


def test_what_is_frozen_keeps_nothing() -> None:
    """Only a layer's input and output are there at once, until a parameter wants a gradient."""
    parts = [nn.Sequential(nn.Linear(8, 8), nn.ReLU(True)) for _ in range(9)]
    model, inspector = nn.Sequential(*parts), Inspector(Turn(asked=False))
    model[:6].requires_grad_(requires_grad=False)
    frozen = layers_of([model, parts[4], parts[4][0]], inspector)
    trained = layers_of([model, parts[8], parts[8][0]], inspector)
    assert frozen is not None
    assert trained is not None
    there, _ = frozen.done(None, keeps=True)
    assert there == 3 * 8  # with what the model is given
    there, peak = trained.done(None, keeps=True)
    assert there == 4 * 8
    assert peak == there + GRADIENTS * 8
    assert frozen.done(None, keeps=False) == (3 * 8, 3 * 8)
