"""Code that only computes: it keeps nothing, prints nothing, and changes no value in place.

What it calls is known by name: operations of PyTorch, methods of tensors, functions of the notebook
that only compute themselves, and modules whose classes are known. All else is doubt.
"""

from __future__ import annotations

import ast
from functools import cached_property
from typing import TYPE_CHECKING

from .find import called, dotted, root_of, words
from .notebook import CodePlace, is_stored
from .origins import Origins, is_of_torch
from .scopes import Function
from .source import Refused
from .taint import COMPUTES

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from .facts import Live
    from .notebook import CellCode, Notebook

# The shape of the result is that of the first argument, value by value.
ELEMENTWISE = words(
    """relu gelu silu elu selu celu mish tanh sigmoid logsigmoid softplus softsign leaky_relu
    hardtanh hardswish hardsigmoid relu6 tanhshrink exp log log1p expm1 abs square sqrt rsqrt
    sin cos clamp clip neg sign erf to cuda cpu double float half long int bool contiguous
    type_as detach clone pow reciprocal layer_norm group_norm rms_norm"""
)
POOLED = words(
    """max_pool1d max_pool2d avg_pool1d avg_pool2d adaptive_avg_pool1d adaptive_avg_pool2d
    adaptive_max_pool2d interpolate"""
)
_SHAPES = words(
    """unflatten expand expand_as repeat chunk split cat stack movedim swapaxes t size dim numel
    amax amin log_softmax normalize argmax var cumsum matmul bmm mm einsum linear baddbmm addmm
    conv1d conv2d conv3d conv_transpose1d conv_transpose2d pad embedding one_hot pixel_shuffle
    unfold fold scaled_dot_product_attention where masked_fill triu tril arange zeros ones full
    zeros_like ones_like full_like eye minimum maximum eq ne lt gt ge le outer roll flip gather
    index_select new_zeros"""
)
LOSSES = words(
    """cross_entropy nll_loss mse_loss l1_loss smooth_l1_loss huber_loss
    binary_cross_entropy_with_logits soft_margin_loss kl_div cosine_similarity"""
)
_BUILTINS = words(
    """len range enumerate zip int float bool tuple list min max sum abs isinstance super"""
)
_LOOK = words("parameters named_parameters values items keys children modules item")
KNOWN = ELEMENTWISE | COMPUTES | POOLED | _SHAPES | LOSSES
_RANDOM = words(
    """dropout dropout2d rand randn randint randperm rand_like randn_like bernoulli multinomial"""
)
_LOSS_MODULES = words(
    """CrossEntropyLoss NLLLoss MSELoss L1Loss SmoothL1Loss HuberLoss BCEWithLogitsLoss
    SoftMarginLoss"""
)
# What these modules make has as many dimensions as what they are given.
KEEP_RANK = words(
    """Sequential Linear Identity Conv1d Conv2d MaxPool1d MaxPool2d AvgPool1d AvgPool2d LayerNorm
    AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveMaxPool1d AdaptiveMaxPool2d GroupNorm RMSNorm
    ReLU ReLU6 GELU SiLU ELU SELU CELU Mish Tanh Sigmoid LogSigmoid Softplus Softsign LeakyReLU
    Hardtanh Hardswish Hardsigmoid Upsample ConvTranspose1d ConvTranspose2d"""
)
_MODULES = KEEP_RANK | words(
    """Module ModuleList ModuleDict Bilinear Flatten Unflatten Embedding Conv3d MaxPool3d AvgPool3d
    Softmax LogSoftmax PixelShuffle ZeroPad2d Parameter ParameterList"""
)
ATTENTION = words(
    """MultiheadAttention NonDynamicallyQuantizableLinear TransformerEncoderLayer
    TransformerEncoder TransformerDecoderLayer TransformerDecoder LSTM GRU RNN LSTMCell GRUCell
    RNNCell"""
)
_GROWS = words("append extend insert pop add_module register_module")
DROPOUT = words("Dropout Dropout1d Dropout2d Dropout3d AlphaDropout")
BATCH_NORM = words("BatchNorm1d BatchNorm2d BatchNorm3d SyncBatchNorm")
WATCHED = (
    *("register_hook", "register_forward_hook", "register_forward_pre_hook", "compile"),
    *("register_full_backward_hook", "register_full_backward_pre_hook", "register_backward_hook"),
    *(
        "register_module_forward_hook",
        "register_post_accumulate_grad_hook",
        "DataParallel",
        "script",
    ),
    *("spectral_norm", "weight_norm", "register_parametrization", "DistributedDataParallel"),
    *("set_checkpoint_debug_enabled", "saved_tensors_hooks", "setattr", "vmap", "prune"),
)
"""Calls by which something looks at a module's passes, or changes its weights with each."""


class Doubt(Refused):
    """Code that may do more than compute, and where."""

    def __init__(self, cell: CellCode, node: ast.AST) -> None:
        super().__init__()
        self.place = CodePlace.of(cell, node)


class Pure:
    """Whether code of a notebook only computes.

    Modules may be of these `more` classes, too, and of these `libraries`.
    """

    def __init__(
        self,
        notebook: Notebook,
        live: Live,
        more: frozenset[str] = frozenset(),
        libraries: tuple[str, ...] = (),
    ) -> None:
        self._notebook, self._live, self._libraries = notebook, live, libraries
        self._allowed, self._drawn = _MODULES | _LOSS_MODULES | more, bool(more & DROPOUT)
        self._checked: set[int] = set()

    @cached_property
    def _classes(self) -> set[str]:
        """The classes of `torch.nn` that stand in the code."""
        return {name for cell, node in self._notebook.nodes() for name in _of_nn(node)}

    def modules(self) -> str | None:  # noqa: C901  one rule after the other
        """Return a class of a part of some model that may do more than compute, if there is one.

        Those of all models that are alive, and all that the code mentions.
        """
        for name in WATCHED:
            if self._notebook.calls(name):
                return name
        changed = self.changed(self._allowed)
        if changed is not None:
            return changed
        own = {name for name, found in self._notebook.classes.items() if len(found) == 1}
        for model in self._live.models.values():
            for full in sorted(model.own):
                module, _, name = full.rpartition(".")
                known = module.startswith("torch.nn.") and name in self._allowed
                known |= module.partition(".")[0] in self._libraries
                if not known and not (module == "__main__" and name in own):
                    return name
        for name in sorted(self._classes - self._allowed):
            return name
        for name, found in self._notebook.classes.items():
            for cell, node in found:
                if any(
                    isinstance(statement, Function) and statement.name == "forward"
                    for statement in node.body
                ):
                    self.of_class(cell, node)
                elif name in self._parts:
                    return name
        return None

    def changed(self, layers: Collection[str] = ()) -> str | None:
        """Return what a cell changes of a model once it is made, but for layers put there.

        As `model.forward = …`, `criterion.reduction = "sum"`, `model.append(…)`.
        """
        for cell, node in self._notebook.nodes():
            is_grown = isinstance(node, ast.Attribute) and node.attr in _GROWS and not layers
            known = isinstance(node, (ast.Attribute, ast.Subscript))
            if not known or not (is_grown or is_stored(node)):
                continue
            code = ast.unparse(node)
            is_model = root_of(code) in self._live.models and "config" not in code
            value = getattr(cell.parent(node), "value", None)
            is_layer = called(value) in layers and isinstance(value, ast.Call)
            if code.endswith(".forward") or (is_model and not is_layer):
                return code
        return None

    @property
    def _parts(self) -> set[str]:
        return {
            each.rpartition(".")[2] for model in self._live.models.values() for each in model.own
        }

    def of_class(self, cell: CellCode, node: ast.ClassDef) -> None:
        """Check what a module of a class does when it is called; raises `Doubt`."""
        bases = [dotted(expression).rpartition(".")[2] for expression in node.bases]
        known = [base == "Module" or base in self._notebook.classes for base in bases]
        if not all(known) or node.decorator_list or node.keywords:
            raise Doubt(cell, node)
        for statement in node.body:
            if isinstance(statement, Function) and statement.name != "__init__":
                if statement.decorator_list or statement.name.startswith("__"):
                    raise Doubt(cell, statement)
                self.of_block(cell, statement.body)

    def of_block(self, cell: CellCode, body: Sequence[ast.AST]) -> None:
        """Check statements or expressions, and what they call; raises `Doubt`."""
        for statement in body:
            if id(statement) in self._checked:
                continue
            self._checked.add(id(statement))
            for node in ast.walk(statement):
                self._node(cell, node)

    def _node(self, cell: CellCode, node: ast.AST) -> None:
        kept = isinstance(node, (ast.Attribute, ast.Subscript)) and is_stored(node)
        if kept or isinstance(node, _DOES_MORE):
            raise Doubt(cell, node)
        if isinstance(node, ast.Attribute) and node.attr in ("grad", "data"):
            raise Doubt(cell, node)
        if isinstance(node, ast.Call):
            self._call(cell, node)

    def _call(self, cell: CellCode, call: ast.Call) -> None:
        name, function = called(call), call.func
        if any(keyword.arg in ("inplace", "out", "dtype") for keyword in call.keywords):
            raise Doubt(cell, call)
        known = name in (KNOWN | _RANDOM if self._drawn else KNOWN)
        is_name = isinstance(function, ast.Name)
        rebound = any(use.how != "read" for _, use in self._notebook.uses(name))
        if is_name and name in _BUILTINS and not rebound:
            return
        own = self._notebook.functions.get(name, ()) if is_name else ()
        if own:
            for where, definition in own:
                if definition.decorator_list:
                    raise Doubt(cell, call)
                self.of_block(where, definition.body)
            return
        if isinstance(function, ast.Attribute) and (known or name in _LOOK):
            return
        if known and is_of_torch(cell, self._notebook, function):
            return
        if not self.is_module(cell, function):
            raise Doubt(cell, call)

    def is_module(self, cell: CellCode, function: ast.AST) -> bool:
        """Whether what is called is a module, or made in a way that makes only modules."""
        if isinstance(function, ast.Attribute) and dotted(function.value) == "self":
            methods = self._notebook.functions.get(function.attr, ())
            if methods:
                return all(not each.decorator_list for _, each in methods)
        if self._is_live(cell, function):
            return True
        try:
            made = Origins(self._notebook).of(cell, function, parts=True)
        except Refused:
            return False
        return bool(made) and all(self._makes(where, node) for where, node in made)

    def _is_live(self, cell: CellCode, function: ast.AST) -> bool:
        known = cell.owners.get(function)
        return known is not None and known[1] is None and known[0] in self._live.models

    def _makes(self, cell: CellCode, node: ast.AST) -> bool:
        if isinstance(node, (ast.List, ast.Tuple)):
            return all(self._makes(cell, expression) for expression in node.elts)
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
            return self._makes(cell, node.elt)
        if isinstance(node, ast.Starred):
            return self.is_module(cell, node.value)
        name = called(node)
        if not isinstance(node, ast.Call):
            return False
        if name in self._notebook.classes:
            return len(self._notebook.classes[name]) == 1
        return name in self._allowed and is_of_torch(cell, self._notebook, node.func)


_DOES_MORE = (
    *(ast.Global, ast.Nonlocal, ast.Delete, ast.Yield, ast.YieldFrom, ast.Await, ast.Try),
    *(ast.Import, ast.ImportFrom, ast.AugAssign, ast.With, ast.AsyncWith, ast.NamedExpr),
    ast.Lambda,
)


LIBRARIES = ("transformers", "torchvision", "timm", "diffusers", "peft")
"""Those whose models keep nothing of a pass in themselves, and look at no gradients."""
ANY_LAYER = ATTENTION | BATCH_NORM | DROPOUT


def _of_nn(node: ast.AST) -> list[str]:
    """Return `Linear` of `nn.Linear`, of `torch.nn.Linear`, and of what is imported from there."""
    if isinstance(node, ast.Attribute) and dotted(node.value) in ("nn", "torch.nn"):
        return [node.attr] if node.attr[0].isupper() else []
    if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("torch.nn"):
        return [alias.name for alias in node.names if alias.name[0].isupper()]
    return []
