"""A fake hub: checkpoints by their names, as files with shapes and without values.

The libraries' own code reads them like downloaded files, without a network. The user's own cache is
not changed, and only missing files are added to it: a `config.json` is enough.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from contextlib import suppress
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpu_headroom.text.messages import say

from .checkpoints import config_of
from .texts import write_processor, write_tokenizer
from .uploads import change_uploads

if TYPE_CHECKING:
    from collections.abc import Callable

TEXTS = {
    "dry_run.unknown_checkpoint": (
        "`{name}` is not on this machine, and `--fake-data` does not know its sizes. "
        "`hf download {name} config.json` brings them."
    )
}
_WEIGHTS = "model.safetensors"
_MODEL_CARD = "README.md"  # asked for before one is uploaded
_STORED = (".safetensors", ".bin")
_PREPARES = ("vocab.json", "vocab.txt", "tokenizer.json", ".model", "preprocessor_config.json")
_ASKED_BY = ("hf_hub_download", "snapshot_download", "try_to_load_from_cache")
# As in the format's own description (github.com/huggingface/safetensors, "Format").
_TYPES = {"float32": "F32", "float16": "F16", "bfloat16": "BF16", "int64": "I64", "bool": "BOOL"}
_OWN_TYPE_FROM = 5  # from this version of Transformers on weights keep the type of their file
_NO_COMMIT = "0" * 40


class NotMadeUpError(OSError):  # as libraries raise where they find no checkpoint, and let pass
    """Raised for a checkpoint that is not on this machine, and whose shapes are unknown."""


def make_up_hub() -> dict[str, list[Callable[[Any], None]]]:
    """Make the hub's client return fake files from now on; no effect without a client.

    Returns functions that change modules after these are imported.
    """
    os.environ.update(HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1")
    try:
        client: Any = import_module("huggingface_hub.file_download")
        snapshots: Any = import_module("huggingface_hub._snapshot_download")
    except ImportError:
        return {}
    change_uploads()
    constants = client.constants
    user_cache, fake_cache = Path(constants.HF_HUB_CACHE), Path(tempfile.gettempdir(), "hub")
    os.environ["HF_HUB_CACHE"] = constants.HF_HUB_CACHE = str(fake_cache)
    constants.HF_HUB_OFFLINE = True
    hub = _Hub(user_cache, fake_cache, client.repo_folder_name)
    for module in (client, snapshots):
        for name in _ASKED_BY:
            if hasattr(module, name):
                setattr(module, name, hub.before(getattr(module, name)))
    return {
        "transformers.tokenization_utils_base": [hub.change_tokenizers],
        "transformers.modeling_utils": [hub.change_models],
    }


class _Hub:
    """A cache in `here` with what is `there`, and what is made up beside it."""

    def __init__(self, there: Path, here: Path, folder_name: Callable[..., str]) -> None:
        self._there, self._here, self._folder_name = there, here, folder_name
        self._made_tokenizers: set[str] = set()
        self._made_weights: set[str] = set()
        self._stored: Any = None

    def before(self, look: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that makes up what is asked for, and then looks as `look` does."""

        @wraps(look)
        def looked(repo_id: str, *given: Any, **named: Any) -> Any:
            request = str((given, named))
            if named.get("repo_type") in {None, "model"} and _MODEL_CARD not in request:
                weights = _WEIGHTS in request
                named["cache_dir"] = str(self._have(repo_id, weights=weights, texts=True))
            return look(repo_id, *given, **named)

        return looked

    def change_tokenizers(self, module: Any) -> None:
        """Make any tokenizer class load a fake tokenizer with the class of its format."""
        base = module.PreTrainedTokenizerBase
        load = base.from_pretrained.__func__

        def from_pretrained(own: Any, name: Any, *given: Any, **named: Any) -> Any:
            self._have(str(name), texts=True)
            if str(name) in self._made_tokenizers:
                own = import_module("transformers").PreTrainedTokenizerFast
            return load(own, name, *given, **named)

        base.from_pretrained = classmethod(from_pretrained)

    def change_models(self, module: Any) -> None:
        """Store fake weights in the requested dtype: a conversion would use host memory."""
        load, is_old = module.PreTrainedModel.from_pretrained.__func__, _version() < _OWN_TYPE_FROM

        def from_pretrained(own: Any, name: Any, *given: Any, **named: Any) -> Any:
            dtype = named.get("dtype", named.get("torch_dtype")) or ("float32" if is_old else None)
            self._stored = None if dtype == "auto" else dtype
            try:
                if name is not None and Path(name).is_dir():
                    self._have(str(name), weights=True)
                return load(own, name, *given, **named)
            finally:
                self._stored = None

        module.PreTrainedModel.from_pretrained = classmethod(from_pretrained)

    def _have(self, name: str, *, weights: bool = False, texts: bool = False) -> Path:
        """Make up what lacks of a checkpoint, or of a folder; return the cache that has it."""
        if Path(name).exists():
            if Path(name).is_dir():
                self._complete(name, Path(name), weights=weights, texts=texts)
            return self._here
        folder = self._folder_name(repo_id=name, repo_type="model")
        files, repo = _files_of(self._there / folder), self._here / folder
        if files and _has_weights(files):
            return self._there
        if not repo.exists():
            config = None if files else config_of(name)
            if not files and not config:
                raise NotMadeUpError(say("dry_run.unknown_checkpoint", TEXTS, name=name))
            snapshot = repo / "snapshots" / (files.name if files else _NO_COMMIT)
            (repo / "refs").mkdir(parents=True)
            (repo / "refs" / "main").write_text(snapshot.name)
            if files:
                shutil.copytree(files, snapshot)
            elif config:
                config.save_pretrained(snapshot)
        (snapshot,) = (repo / "snapshots").iterdir()
        self._complete(name, snapshot, weights=weights, texts=texts)
        return self._here

    def _complete(self, name: str, folder: Path, *, weights: bool, texts: bool) -> None:
        """Add what lacks, where there is a configuration that tells of it."""
        files = [path.name for path in folder.iterdir()]
        weights = weights and (name in self._made_weights or not _has_weights(folder))
        texts = texts and not any(file.endswith(_PREPARES) for file in files)
        if "config.json" not in files or not (weights or texts):
            return
        with suppress(ValueError, PermissionError):  # of another library, or not ours to write
            config = import_module("transformers").AutoConfig.from_pretrained(str(folder))
            if texts:
                write_tokenizer(name, config, folder)
                write_processor(config, folder)
                self._made_tokenizers.add(name)
            if weights:
                write_weights(config, folder / _WEIGHTS, self._stored)
                self._made_weights.add(name)


def _files_of(repository: Path) -> Path | None:
    """Return the folder of a cached repository's files, if it has one."""
    try:
        commit = (repository / "refs" / "main").read_text().strip()
    except OSError:
        return None
    files = repository / "snapshots" / commit
    return files if files.is_dir() else None


def _has_weights(folder: Path) -> bool:
    return any(file.name.endswith(_STORED) for file in folder.iterdir())


def _version() -> int:
    return int(import_module("transformers").__version__.partition(".")[0])


def write_weights(config: Any, file: Path, stored: Any) -> None:
    """Write the weights of a configuration's model: a file with holes, which takes no room.

    In the type `stored`, else in the one that the configuration tells of.
    """
    import torch

    transformers = import_module("transformers")
    name = (config.architectures or ["AutoModel"])[0]
    model_class = getattr(transformers, name, transformers.AutoModel)
    with torch.device("meta"):
        model = getattr(model_class, "from_config", model_class)(config)
    stored = stored or getattr(config, "dtype", None) or getattr(config, "torch_dtype", None)
    stored = getattr(torch, stored) if isinstance(stored, str) else stored
    file.unlink(missing_ok=True)  # a model may be reading it
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    end, tied = 0, set()
    for key, value in model.state_dict(keep_vars=True).items():
        if id(value) in tied:  # stored once
            continue
        tied.add(id(value))
        dtype = stored if stored and value.is_floating_point() else value.dtype
        begin, end = end, end + value.numel() * dtype.itemsize
        kind = _TYPES[str(dtype).removeprefix("torch.")]
        header[key] = {"dtype": kind, "shape": [*value.shape], "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    with file.open("wb") as out:
        out.write(len(text).to_bytes(8, "little") + text)
        out.truncate(8 + len(text) + end)
