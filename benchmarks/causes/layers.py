"""How far a pass had come, by a model's layers, beside what autograd has saved by then.

`python -m benchmarks.causes.layers`, in an environment with torchvision, timm, transformers and
diffusers, writes a row for each of their models, which `results.md` takes over. They are built
and run on the meta device: shapes are all that counts, so nothing is downloaded and no memory is
taken.
"""

from __future__ import annotations

import importlib
import importlib.util
import statistics
import warnings
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from gpu_headroom.concurrency.turns import Turn
from gpu_headroom.holders.inspector import Inspector
from gpu_headroom.oom.layers import layers_of

from benchmarks.causes.trial import DECLARE_OPERATORS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Model = tuple[Callable[[], torch.nn.Module], tuple[torch.Tensor, ...]]

TABLE = Path(__file__).with_suffix(".md")
CLOSE = 0.2
BEGUN = 0.08  # of what the whole pass keeps: before that a GPU is too small for the model
BATCH = 4
VISION = (
    *("resnet18", "resnet50", "vgg16", "vgg16_bn", "mobilenet_v2", "mobilenet_v3_small"),
    *("densenet121", "efficientnet_b0", "convnext_tiny", "swin_t", "vit_b_16", "alexnet"),
    *("squeezenet1_0", "shufflenet_v2_x1_0"),
)
TIMM = (
    *("resnet50", "vit_tiny_patch16_224", "efficientnet_b0", "convnext_tiny", "mixer_b16_224"),
    *("regnety_002", "deit_tiny_patch16_224"),
)
TEXTS: dict[str, tuple[str, dict[str, int]]] = {
    "Bert": ("ForSequenceClassification", {"num_hidden_layers": 4}),
    "DistilBert": ("ForSequenceClassification", {"n_layers": 4}),
    "Roberta": ("ForMaskedLM", {"num_hidden_layers": 4}),
    "GPT2": ("LMHeadModel", {"n_layer": 4}),
    "Llama": (
        "ForCausalLM",
        {"num_hidden_layers": 4, "hidden_size": 512, "num_attention_heads": 8},
    ),
    "T5": ("EncoderModel", {"num_layers": 4}),
    "OPT": ("ForCausalLM", {"num_hidden_layers": 4}),
}


def models() -> Iterator[tuple[str, Model]]:
    """Yield the models that are at hand, with what each is given."""
    image, noisy = _image(224), _image(64)
    vision, timm, texts, diffusers = map(
        _library, ("torchvision", "timm", "transformers", "diffusers")
    )
    for name in VISION if vision else ():
        yield f"torchvision {name}", (getattr(vision.models, name), (image,))
    for name in TIMM if timm else ():
        yield f"timm {name}", (partial(timm.create_model, name), (image,))
    words = torch.zeros(BATCH, 64, dtype=torch.long, device="meta")
    for name, (kind, sizes) in TEXTS.items() if texts else ():
        config = getattr(texts, f"{name}Config")(vocab_size=5000, **sizes)
        yield (
            f"transformers {name}",
            (partial(getattr(texts, name + kind), config), (words,)),
        )
    if diffusers:
        # Without a GPU attention keeps its scores: it is where these are few.
        down, up = ("DownBlock2D",) * 3, ("UpBlock2D",) * 3
        unet = {
            "block_out_channels": (64, 64, 128, 128),
            "down_block_types": (*down, "AttnDownBlock2D"),
            "up_block_types": ("AttnUpBlock2D", *up),
        }
        time = torch.zeros(BATCH, dtype=torch.long, device="meta")
        yield "diffusers UNet2DModel", (lambda: diffusers.UNet2DModel(**unet), (noisy, time))
        yield "diffusers AutoencoderKL", (diffusers.AutoencoderKL, (noisy,))


def _image(side: int) -> torch.Tensor:
    return torch.empty(BATCH, 3, side, side, device="meta")


def _library(name: str) -> Any:
    return importlib.import_module(name) if importlib.util.find_spec(name) else None


def saved(model: torch.nn.Module, inputs: tuple[torch.Tensor, ...]) -> tuple[dict[int, int], int]:
    """Return the bytes that are kept when a layer is done, by its id, and those of the whole pass.

    With what the layer has just made.
    """
    own = {_storage(value) for value in (*model.parameters(), *model.buffers())}
    tensors: dict[int, Any] = {}
    sizes: dict[int, int] = {}

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        if _storage(tensor) not in own:
            tensors.setdefault(_storage(tensor), tensor.detach())
        return tensor

    def measure(module: torch.nn.Module, _: object, output: object) -> None:
        size = sum(value.untyped_storage().nbytes() for value in tensors.values())
        if isinstance(output, torch.Tensor) and _storage(output) not in {*tensors, *own}:
            size += output.untyped_storage().nbytes()
        sizes.setdefault(id(module), size)

    for module in model.modules():
        if not [*module.children()] and [*module.parameters(recurse=False)]:
            module.register_forward_hook(measure)
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda value: value):
        output = model(*inputs)
        for value in [output] if isinstance(output, torch.Tensor) else output.values():
            if isinstance(value, torch.Tensor):
                pack(value)
    return sizes, sum(value.untyped_storage().nbytes() for value in tensors.values())


def _storage(tensor: torch.Tensor) -> int:
    return int(tensor.untyped_storage()._cdata)  # noqa: SLF001  meta tensors have no address


def ratios(model: torch.nn.Module, inputs: tuple[torch.Tensor, ...]) -> list[float]:
    """Return how often there would be what there is, reckoned over saved, layer by layer."""
    sizes, whole = saved(model, inputs)
    inspector, factors = Inspector(Turn(asked=False)), []
    for name, module in model.named_modules():
        if (size := sizes.get(id(module), 0)) < BEGUN * whole:
            continue
        steps = name.split(".")
        parts = [model.get_submodule(".".join(steps[: n + 1])) for n in range(len(steps))]
        layers = layers_of([model, *parts], inspector)
        current, total = layers.done(None, keeps=True, trains=False) if layers else (1.0, 0.0)
        factors.append((total / current) / (whole / size))
    return factors


def main() -> None:
    """Write the table."""
    warnings.simplefilter("ignore")
    exec(DECLARE_OPERATORS, {})  # noqa: S102  ours, as the kernels of the benchmark run it
    lines = ["| model | layers | within 20 % | median | least | most |", "|---" * 6 + "|"]
    close = []
    for name, (make, inputs) in models():
        with torch.device("meta"):
            model = make()
        factors = ratios(model.train(), inputs)
        close.append(sum(1 - CLOSE <= value <= 1 / (1 - CLOSE) for value in factors) / len(factors))
        middle, least, most = statistics.median(factors), min(factors), max(factors)
        numbers = f"{len(factors)} | {close[-1]:.0%} | {middle:.2f} | {least:.2f} | {most:.2f}"
        lines.append(f"| {name} | {numbers} |")
        print(lines[-1], flush=True)
    good = sum(value >= 1 - CLOSE for value in close)
    text = f"In {good} of {len(close)} at least four fifths of the layers are within 20 %."
    TABLE.write_text("\n".join([text, "", *lines, ""]), encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
