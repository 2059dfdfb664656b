"""Rows of data sets that are made up: `datasets.load_dataset` with the columns of a known name.

A row has the size that rows have on average, or a fifth of it up to three times as much, by turns.
"""

from __future__ import annotations

import io
from importlib import import_module
from typing import TYPE_CHECKING, Any

from gpu_headroom.text.messages import say

from .hub import NotMadeUpError
from .tables import table_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from .tables import Table

TEXTS = {
    "dry_run.unknown_data": (
        "The data set `{name}` is not on this machine, and `--fake-data` does not know its "
        "columns. Files of your own can be read: `load_dataset('json', data_files=...)`."
    )
}
_MOST_BYTES = 64 * 2**20  # of a part; with fewer rows than it has nothing needs more memory
_LEAST_ROWS, _MOST_ROWS = 10_000, 100_000
_TIMES = (0.2, 0.6, 1.0, 3.0, 0.4, 0.8, 1.2, 0.8)
_WORD = "word "


def change_datasets(library: Any) -> None:
    """Make `load_dataset` return made-up data instead of a download."""
    if not hasattr(library, "load_dataset"):  # a module of the person's own
        return
    load = library.load_dataset

    def load_dataset(path: str, name: str | None = None, *given: Any, **named: Any) -> Any:
        table = None if given or named.get("data_files") else table_of(path, name)
        if table is not None:
            return _loaded(table, named.get("split"), streams=bool(named.get("streaming")))
        try:
            return load(path, name, *given, **named)
        except OSError as error:  # as it has no network
            raise NotMadeUpError(say("dry_run.unknown_data", TEXTS, name=path)) from error

    library.load_dataset = load_dataset


def _loaded(table: Table, split: Any, *, streams: bool) -> Any:
    """Return a part, or all of them, as a data set of the library."""
    library: Any = import_module("datasets")
    if split is None:
        kind = library.IterableDatasetDict if streams else library.DatasetDict
        return kind({part: _loaded(table, part, streams=streams) for part in table.parts})
    if isinstance(split, list):
        return [_loaded(table, part, streams=streams) for part in split]
    counts = {part: rows for part, (rows, _) in table.parts.items()}
    spans = library.ReadInstruction.from_spec(str(split)).to_absolute(counts)
    rows = sum(span.to - span.from_ for span in spans)
    size = table.parts[spans[0].splitname][1]
    most = min(_MOST_ROWS, max(_LEAST_ROWS, _MOST_BYTES // size))
    data_set = _rows(table, min(rows, most), size)
    return data_set.to_iterable_dataset() if streams else data_set


def _rows(table: Table, rows: int, size: int) -> Any:
    library: Any = import_module("datasets")
    columns = [_column(column) for column in table.columns]
    size = round(size / max(1, sum([share for _, _, share, _ in columns])))
    features = library.Features({name: feature for name, feature, _, _ in columns})
    values = {}
    for name, _, share, value in columns:
        turns = [value(round(size * share * times)) for times in _TIMES]
        values[name] = [turns[row % len(turns)](row) for row in range(rows)]
    return library.Dataset.from_dict(values, features=features)


def _column(column: str) -> tuple[str, Any, int, Callable[[int], Callable[[int], Any]]]:
    """Return a column's name, its feature, its share of a row, and its values by size and row."""
    library: Any = import_module("datasets")
    name, _, kind = column.partition(":")
    name, _, share = name.partition("*")
    feature, usual, value = _kind(kind, library)
    if name.endswith("[]"):
        many, name, one, length = library.Sequence, name.removesuffix("[]"), value, usual
        feature, usual = many(feature), 9 if length else 8  # of a word and its end, and of a number

        def value(size: int) -> Callable[[int], Any]:
            count, item = max(1, size // usual), one(len(_WORD))
            return lambda row: [item(row)] * count

    return name, feature, int(share or usual), value


def _kind(  # noqa: PLR0911  one for each
    kind: str, library: Any
) -> tuple[Any, int, Callable[[int], Callable[[int], Any]]]:
    string = library.Value("string")
    if not kind:
        return string, 1, lambda size: _always(_text(size))
    if kind == "id":
        return string, 0, lambda _: str
    if kind == "answers":  # where the context begins
        answer = {"text": [_WORD.strip()], "answer_start": [0]}
        feature = library.Sequence({"text": string, "answer_start": library.Value("int32")})
        return feature, 0, lambda _: _always(answer)
    if kind in {"int32", "float32", "bool"}:
        return library.Value(kind), 0, lambda _: int
    first, _, second = kind.partition("-")
    if len(first) == len(second) == len("en"):
        feature = library.Translation([first, second])
        return feature, 1, lambda size: _always(dict.fromkeys((first, second), _text(size // 2)))
    if "x" in kind and kind.replace("x", "").isdecimal():
        image = {"bytes": _png(*map(int, kind.split("x"))), "path": None}
        return library.Image(), 0, lambda _: _always(image)
    names = kind.split("/") if "/" in kind else [str(number) for number in range(int(kind))]
    return library.ClassLabel(names=names), 0, lambda _: lambda row: row % len(names)


def _always(value: Any) -> Callable[[int], Any]:
    return lambda _: value


def _text(size: int) -> str:
    return (_WORD * (size // len(_WORD) + 1))[: max(size, len(_WORD) - 1)].strip()


def _png(*shape: int) -> bytes:
    import numpy as np

    pixels = np.resize(np.random.default_rng(0).integers(0, 256, 256, np.uint8), shape)
    file = io.BytesIO()
    import_module("PIL.Image").fromarray(pixels).save(file, "PNG")
    return file.getvalue()
