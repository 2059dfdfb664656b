"""The GPUs that people can get, and what a program finds on each."""

from __future__ import annotations

import difflib
import re
from typing import NamedTuple

_MIB = 2**20
AMPERE = 8, 0  # the first one with bfloat16
# Beginnings of names by compute capability, as NVIDIA has them in developer.nvidia.com/cuda-gpus
# and, for those before Turing, in /cuda-legacy-gpus. All others are taken for an A100.
_CAPABILITIES = {
    (6, 0): ("p100",),
    (6, 1): ("gtx10", "p4"),
    (7, 0): ("v100",),
    (7, 5): ("t4", "rtx20", "gtx16", "titanrtx", "quadrortx"),
    (8, 6): ("rtx30",),
    (8, 9): ("rtx40", "l4"),
    (9, 0): ("h100",),
}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*(GiB|GB|G|MiB|MB|M)", re.IGNORECASE)


class Gpu(NamedTuple):
    """A GPU for dry runs: `total_bytes` is PyTorch's `total_memory`.

    That is less than the nominal size and depends on the driver: this is the least known value.
    `where` is the service that offers it, `also` other names of it. `outside_bytes` is what was in
    use outside PyTorch, for a GPU of this machine. If a simulated GPU has more in use outside
    PyTorch, the total is increased by the difference (`more_bytes`).
    """

    name: str
    total_bytes: int
    where: str = ""
    also: tuple[str, ...] = ()
    outside_bytes: int | None = None
    more_bytes: int = 0

    @property
    def capability(self) -> tuple[int, int]:
        """Its compute capability, by its name as people or its driver say it."""
        name = _plain(self.name)
        matches = (version for version, names in _CAPABILITIES.items() if name.startswith(names))
        return next(matches, AMPERE)


# `total_memory` in MiB as Ultralytics prints it at the head of a training (select_device in
# ultralytics/utils/torch_utils.py), in logs of 2022 to 2026 that people have published; those of
# 80 GB and the H100 from PyTorch's "has a total capacity of".
_SEEN: tuple[tuple[str, int, str, tuple[str, ...]], ...] = (
    ("RTX 3060 12GB", 11910, "workstations", ("3060",)),  # torch-2.10.0+cu128
    ("T4", 14912, "Colab, Kaggle, g4dn", ("tesla t4",)),  # the same; 15102 of older drivers
    ("P100 16GB", 16269, "Kaggle", ("tesla p100",)),  # torch-2.11.0+cu128
    ("V100 16GB", 16130, "p3", ("tesla v100", "v100")),  # torch-1.7.0+cu101
    ("L4", 22563, "Colab, g6", ()),  # torch-2.11.0+cu128
    ("RTX 3090", 24124, "workstations", ("3090",)),  # torch-2.13.0+cu130
    ("RTX 4090", 24209, "workstations", ("4090",)),  # torch-2.1.0+cu118
    ("A100 40GB", 40441, "Colab, p4d", ("a100",)),  # torch-2.11.0+cu130
    ("L40S", 45495, "g6e", ()),  # torch-2.2.2+cu121
    ("A100 80GB", 81038, "p4de", ()),  # torch-2.3.1+cu118
    ("H100 80GB", 81080, "p5", ("h100",)),  # 79.18 GiB in errors
)
GPUS = tuple([Gpu(name, mib * _MIB, where, also) for name, mib, where, also in _SEEN])


def find(wanted: str) -> Gpu:
    """Return a GPU by its name, or one of a size such as "24 GiB".

    Raises `ValueError` with the nearest names for one that is not known.
    """
    text = _plain(wanted)
    for gpu in GPUS:
        if text in {_plain(label) for label in (gpu.name, *gpu.also)}:
            return gpu
    size = _SIZE.fullmatch(wanted.strip())
    if size is not None and float(size[1]) > 0:
        unit = 2**30 if size[2][0] in "gG" else _MIB
        return Gpu(wanted.strip(), int(float(size[1]) * unit))
    names = {_plain(gpu.name): gpu.name for gpu in GPUS}
    near = [names[match] for match in difflib.get_close_matches(text, names, cutoff=0.4)]
    raise ValueError(", ".join(near or names.values()))


def _plain(name: str) -> str:
    return re.sub(r"nvidia|geforce|tesla|[^a-z0-9]", "", name.lower())
