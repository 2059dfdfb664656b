"""Data sets and weights that are not on this machine, made up in their real shapes.

Nothing is downloaded. Those known by class or name are in `fake/`: images of torchvision,
checkpoints of the hub with their tokenizers, tables of `datasets`. Models of torchvision, timm and
`torch.hub` keep their initial weights. Anything unknown raises an error.
"""

from __future__ import annotations

import builtins
import sys
from typing import TYPE_CHECKING, Any

from .fake.hub import make_up_hub
from .fake.images import change_images
from .fake.rows import change_datasets

if TYPE_CHECKING:
    from collections.abc import Callable


class NoWeights(dict[str, Any]):
    """Placeholder for weights that are not downloaded; a model that loads it is not changed."""


def fake_data() -> None:
    """Make up data sets and weights from now on, in all modules imported later."""
    import torch

    load = torch.nn.Module.load_state_dict

    def load_state_dict(self: Any, state_dict: Any, *given: Any, **named: Any) -> Any:
        own = self.state_dict() if isinstance(state_dict, NoWeights) else state_dict
        return load(self, own, *given, **named)

    vars(torch.hub)["load_state_dict_from_url"] = lambda *_, **__: NoWeights()
    torch.nn.Module.load_state_dict = load_state_dict  # type: ignore[method-assign]  # for a run
    waiting: dict[str, list[Callable[[Any], None]]] = {
        "timm.models._builder": [_load_nothing],
        "datasets": [change_datasets],
        **make_up_hub(),
        **change_images(),
    }
    _after_import(waiting)


def _after_import(waiting: dict[str, list[Callable[[Any], None]]]) -> None:
    """Change modules once they have been imported, by whom ever."""
    do_import = builtins.__import__

    def importing(*given: Any, **named: Any) -> Any:
        module = do_import(*given, **named)
        for name in [*(waiting.keys() & sys.modules.keys())]:
            if not getattr(sys.modules[name].__spec__, "_initializing", False):
                for change in waiting.pop(name):
                    change(sys.modules[name])
        return module

    builtins.__import__ = importing


def _load_nothing(builder: Any) -> None:
    builder.load_pretrained = lambda *_, **__: None
