"""A model or a tensor, with its gradients and optimizers' state, to the host and back.

Each storage is copied whole and each tensor set to the same part of the copy through `.data`:
parameters stay the same objects, and what shared memory shares it still.
"""

from __future__ import annotations

import weakref
from collections import Counter
from functools import partial
from heapq import nlargest
from typing import TYPE_CHECKING, Any, NamedTuple

from ..frameworks.torch import private
from ..frameworks.torch.cuda import TorchCuda
from ..inspection.kinds import module_of, mro, name_of
from ..readings import host
from ..release.freeable import Freeable, Kind
from ..release.memory import Storages
from ..release.models import Models
from ..text.format import MIB
from ..text.messages import message

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..frameworks.torch.tensors import Torch
    from ..protocol.generated.wire import Message
    from ..release.situation import Situation

    Pair = tuple[Any, Any]  # a tensor and a device

TEXTS = {
    "item.offload": "Move `{name}` to the CPU",
    "item.offload.cost": (
        "With its gradients and its optimizers' state; takes {host_bytes} of host memory. "
        "What uses it on the GPU fails until it is moved back."
    ),
    "item.offload.cost_tensor": (
        "Takes {host_bytes} of host memory. What uses it on the GPU fails until it is moved back."
    ),
    "item.offload.host": (
        "It takes {host_bytes} of host memory, and {available_bytes} are left there."
    ),
    "item.offload.managed": "`{type_name}` places its parameters itself.",
    "item.offload.kind": "It has a tensor of type `{type_name}`, which cannot be moved this way.",
    "item.offload.shared": "Views of it ({count}) would stay behind and no longer be views.",
    "item.restore": "Move `{name}` back to the GPU",
    "item.restore.cost": "Takes {needed_bytes} of GPU memory.",
    "item.restore.full": (
        "It takes {needed_bytes}, and the headroom of GPU {index} is {headroom_bytes}."
    ),
    "item.restore.done": "All tensors of `{name}` ({count}) are back on the GPU.",
    "item.restore.partly": "Tensors of `{name}` that are not on the GPU: {count}.",
    "confirm.offload": (
        "Move `{name}` to the CPU? It takes {host_bytes} of host memory, and what uses it on the "
        "GPU fails until it is moved back."
    ),
    "confirm.restore": "Move `{name}` back to the GPU?",
}
_MOST = 20
_SPARE = 1.1  # of host memory: what is left must not be all that there is
# These place parameters themselves, or keep them in a form of their own.
_MANAGED_BY = ("torch.distributed", "torch.nn.parallel", "torch.jit", "deepspeed", "bitsandbytes")
_MARKS = ("_hf_hook", "hf_quantizer", "quantization_method")


class Moved(NamedTuple):
    """A value moved to the host: the variable's value, and each tensor with its former device.

    References are weak.
    """

    owner: weakref.ref[Any]
    tensors: list[tuple[weakref.ref[Any], Any]]

    def alive(self) -> Iterator[Pair]:
        """Yield the tensors that are there still, each with its own device."""
        for reference, device in self.tensors:
            tensor = reference()
            if tensor is not None:
                private.take_back(tensor)
                yield tensor, device


def _moved(situation: Situation) -> dict[str, Moved]:
    """Return what is at the host, by the names of the variables."""
    moved: dict[str, Moved] = situation.kept.setdefault("offload", {})
    return moved


def items(situation: Situation) -> Iterator[Freeable]:
    """Yield an item for each value that can be moved to the host, or back to the GPU."""
    models, torch = situation.models, situation.models.torch
    if torch is None:
        return
    tensors = {name: _all(models, value) for name, value in models.named.items()}
    moves = {name: models.storages(_on_gpu(torch, value)) for name, value in tensors.items()}
    host_bytes = host.read().available_bytes
    for name in nlargest(_MOST, moves, key=lambda moved_name: moves[moved_name].bytes):
        if moves[name].bytes >= MIB:
            yield _offload(situation, name, tensors[name], moves[name], host_bytes)
    for name, moved in list(_moved(situation).items()):
        owner = moved.owner()  # its tensors may outlive it in an optimizer
        is_there = owner is not None and models.value(name) is owner
        pairs = _to_restore(models, torch, moved) if is_there else []
        if pairs:
            yield _restore(situation, models, name, pairs)


def _offload(
    situation: Situation, name: str, tensors: list[Any], moves: Storages, host_bytes: int | None
) -> Freeable:
    models, size = situation.models, moves.bytes
    if host_bytes is None or host_bytes >= _SPARE * size:
        blocked = _obstacle(situation, models.value(name), tensors, moves)
    else:
        blocked = message("item.offload.host", TEXTS, host_bytes=size, available_bytes=host_bytes)
    is_model = situation.inspector.is_module(models.value(name))
    cost = "item.offload.cost" if is_model else "item.offload.cost_tensor"
    return Freeable(
        id=f"offload:{name}",
        kind="offload",
        name=name,
        title=message("item.offload", TEXTS, name=name),
        cost=message(cost, TEXTS, host_bytes=size),
        gives=_coming_back(situation, tensors, moves),
        free=partial(_move_out, situation, name),
        confirm=message("confirm.offload", TEXTS, name=name, host_bytes=size),
        blocked=blocked,
        undo=f"restore:{name}",
    )


def _restore(situation: Situation, models: Models, name: str, pairs: list[Pair]) -> Freeable:
    needed = models.host_bytes(tensor for tensor, _ in pairs)
    return Freeable(
        id=f"restore:{name}",
        kind="restore",
        name=name,
        title=message("item.restore", TEXTS, name=name),
        cost=message("item.restore.cost", TEXTS, needed_bytes=needed),
        gives=None,
        free=partial(_move_back, situation, name),
        confirm=message("confirm.restore", TEXTS, name=name),
        blocked=_lack_of_headroom(models, pairs),
    )


def _coming_back(situation: Situation, tensors: list[Any], moves: Storages) -> Storages:
    """Return what of the memory of tensors no other tensor keeps.

    A graph does that has saved a parameter transposed, as products of matrices do. Where PyTorch
    does not tell (2.0) each parameter may have been saved that a graph ends in.
    """
    models, memory = situation.models, situation.heap.memory
    unique = {id(tensor): tensor for tensor in tensors}.values()
    own = Counter(key for tensor in unique for key in models.storages([tensor]))
    return Storages(
        (key, size)
        for key, size in moves.items()
        if memory.sharing.get(key, own[key]) <= own[key]
        and (key in memory.sharing or key not in memory.leaves)
    )


def _obstacle(
    situation: Situation, value: Any, tensors: list[Any], moves: Storages
) -> Message | None:
    """Return why a model must stay where it is; `None` where it may go."""
    models = situation.models
    for part in models.parts(value):
        managed = any(module_of(cls).startswith(_MANAGED_BY) for cls in mro(type(part)))
        if managed or not models.attributes(part).keys().isdisjoint(_MARKS):
            return message("item.offload.managed", TEXTS, type_name=name_of(type(part)))
    odd = next((tensor for tensor in tensors if not _is_plain(models.torch, tensor)), None)
    if odd is not None:
        return message("item.offload.kind", TEXTS, type_name=name_of(type(odd)))
    if situation.candidates.captured:  # a graph would go on where the memory was
        return message("item.captured")
    # Others in the same memory would be parted from it.
    memory = situation.heap.memory
    views = {owner for key in moves for owner in memory.owners.get(key, ())} & memory.held
    views -= set(map(id, tensors))
    return message("item.offload.shared", TEXTS, count=len(views)) if views else None


def _is_plain(torch: Any, tensor: Any) -> bool:
    if module_of(type(tensor)) not in ("torch", "torch.nn.parameter"):
        return False
    if name_of(type(tensor)) not in ("Tensor", "Parameter", "Buffer"):
        return False  # a parameter without a shape as yet
    with torch.quiet():
        strided = torch.get(tensor, "layout") is torch.module.strided
        return strided and not torch.get(tensor, "is_quantized") and torch.get(tensor, "is_leaf")


def _lack_of_headroom(models: Models, pairs: list[Pair]) -> Message | None:
    for view in TorchCuda().read():
        own = (tensor for tensor, device in pairs if (device.index or 0) == view.index)
        needed = models.host_bytes(own)
        free, _ = view.ask_gpu() if view.ask_gpu else (None, None)
        cached = (view.framework and view.framework.cached_bytes) or 0
        if free is not None and needed > free + cached:
            return message(
                "item.restore.full",
                TEXTS,
                needed_bytes=needed,
                index=view.index,
                headroom_bytes=free + cached,
            )
    return None


def _move_out(situation: Situation, name: str) -> Message | None:
    models = Models(situation.shell)
    value, torch = models.value(name), models.torch
    if torch is None or value is None:
        return message("item.gone")
    pairs = [
        (tensor, torch.get(tensor, "device")) for tensor in _on_gpu(torch, _all(models, value))
    ]
    for device in {device for _, device in pairs}:
        torch.module.cuda.synchronize(device)
    _move(torch, [(tensor, "cpu") for tensor, _ in pairs])
    tensors = [(weakref.ref(tensor), device) for tensor, device in pairs]
    _moved(situation)[name] = Moved(weakref.ref(value), tensors)
    return None


def _move_back(situation: Situation, name: str) -> Message | None:
    """Move everything back, gradients and state that came about at the host with it."""
    models = Models(situation.shell)
    torch, moved = models.torch, _moved(situation).get(name)
    if torch is None or moved is None:
        return message("item.gone")
    pairs = _to_restore(models, torch, moved)
    _move(torch, pairs)
    lost = sum(torch.get(tensor, "device") != device for tensor, device in pairs)
    if lost:
        return message("item.restore.partly", TEXTS, name=name, count=lost)
    del _moved(situation)[name]
    return message("item.restore.done", TEXTS, name=name, count=len(pairs))


def _move(torch: Torch, pairs: list[tuple[Any, Any]]) -> None:
    """Set each tensor to a copy on another device; nothing changes unless all copies are made."""
    tensor_class: Any = torch.tensor
    copies: dict[int, Any] = {}
    parts = []
    for tensor, device in pairs:
        memory = tensor_class.untyped_storage(tensor)
        plain = tensor_class.detach(tensor)
        key = private.storage_identity(memory)
        if key not in copies:
            count = memory.nbytes() // plain.element_size()
            copies[key] = plain.as_strided((count,), (1,), 0).to(device)
        copy = copies[key]
        copy = copy if copy.dtype == plain.dtype else copy.view(plain.dtype)
        place = plain.size(), plain.stride(), plain.storage_offset()
        parts.append((tensor, copy.as_strided(*place)))
    for tensor, part in parts:
        tensor_class.data.__set__(tensor, part)


def _all(models: Models, value: Any) -> list[Any]:
    """Return the tensors of a model or tensor, their gradients and their optimizers' state."""
    own = models.tensors(value)
    gradients = [gradient for _, gradient in models.gradients(own)]
    return own + gradients + [state for tensor in own for state in models.state_of(tensor)]


def _on_gpu(torch: Torch, tensors: Iterable[Any]) -> list[Any]:
    with torch.quiet():
        return [tensor for tensor in tensors if torch.get(tensor, "device").type == "cuda"]


def _to_restore(models: Models, torch: Torch, moved: Moved) -> list[Pair]:
    pairs: dict[int, Pair] = {}
    for tensor, device in moved.alive():
        pairs[id(tensor)] = tensor, device
        gradients = [gradient for _, gradient in models.gradients([tensor])]
        for gradient in (*gradients, *models.state_of(tensor)):
            if gradient.size() == tensor.size():  # what counts steps may be at the host on purpose
                pairs.setdefault(id(gradient), (gradient, device))
    return [pair for pair in pairs.values() if torch.get(pair[0], "device").type == "cpu"]


KINDS = {
    "offload": Kind(items, of_autograd=True, before="framework_cache"),
    "restore": Kind(
        items,
        of_autograd=True,
        adds_headroom=False,
        done="item.restore.done",
        before="framework_cache",
    ),
}
