"""Data, and the ways in which people go through it in batches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.edits.pieces.draw import block

if TYPE_CHECKING:
    from benchmarks.edits.pieces.draw import Draw
    from benchmarks.edits.pieces.models import Model


@dataclass(frozen=True)
class Data:
    """The code that makes data; `batches` is the expression that a loop goes through.

    `literal` is the line that has the size of the batch, `size`; `length` is an expression for the
    number of batches where there is one.
    """

    code: str
    batches: str
    size: int
    size_name: str | None
    length: str | None
    x: str
    y: str
    kind: str


def data(draw: Draw, model: Model, *, classes: bool) -> Data:
    """Write a data set and how it is gone through."""
    size = draw.pick("batch size", [4, 8, 8, 6])
    rest = draw.pick("rest", [0, 0, 0, 1, 2])
    count = size * draw.number("batches", 3, 5) + rest
    shape = ", ".join(map(str, (count, *model.shape)))
    x, y = draw.pick("data names", [("X", "Y"), ("features", "targets"), ("x_train", "y_train")])
    values = f"torch.randint(0, {model.outputs}, ({count},))"
    if not classes:
        values = f"torch.randn({count}, {model.outputs})"
    made = [f"{x} = torch.randn({shape})", f"{y} = {values}"]
    name = draw.pick("size name", [None, None, "BATCH_SIZE", "batch_size", "bs"])
    if name:
        made.append(f"{name} = {size} #@batch")
    kind = draw.pick(
        "loader",
        ["loader", "loader", "loader", "loader", "list", "range", "generator", "split", "zip"],
    )
    written = name or str(size)
    code, batches, length = _ways(draw, kind, written, x, y, is_named=bool(name))
    return Data(block("\n".join([*made, *code])), batches, size, name, length, x, y, kind)


def _ways(  # noqa: PLR0913  it is one sentence
    draw: Draw, kind: str, size: str, x: str, y: str, *, is_named: bool
) -> tuple[list[str], str, str | None]:
    mark = "" if is_named else " #@batch"
    loader = draw.pick("loader name", ["loader", "train_loader", "train_dl", "loader"])
    if kind == "loader":
        options = [f"batch_size={size}"]
        if draw.chance("shuffle"):
            options.append("shuffle=True")
            if draw.chance("generator"):
                options.append("generator=torch.Generator().manual_seed(3)")
        if draw.chance("drop last", 0.3):
            options.append("drop_last=True")
        made = f"{loader} = DataLoader(TensorDataset({x}, {y}), {', '.join(options)}){mark}"
        code = [made]
        if draw.chance("other loader", 0.4):
            other = draw.pick("other loader name", ["val_loader", "test_dl"])
            half = f"TensorDataset({x}[:8], {y}[:8])"
            code.insert(
                draw.number("order", 0, 1), f"{other} = DataLoader({half}, batch_size={size})"
            )
        return code, loader, f"len({loader})"
    if kind == "list":
        pair = f"({x}[i:i + {size}], {y}[i:i + {size}])"
        made = f"{loader} = [{pair} for i in range(0, len({x}), {size})]"
        return [made + mark], loader, f"len({loader})"
    if kind == "split":
        return (
            [f"{loader} = list(zip({x}.split({size}), {y}.split({size}))){mark}"],
            loader,
            f"len({loader})",
        )
    if kind == "zip":
        return [], f"zip({x}.split({size}), {y}.split({size}))", None
    if kind == "generator":
        lines = [
            "def batches():",
            f"    for i in range(0, len({x}), {size}):{mark}",
            f"        yield {x}[i:i + {size}], {y}[i:i + {size}]",
        ]
        return lines, "batches()", None
    return [], f"range(0, len({x}), {size})", None
