"""Programs that are drawn at random, each from a seed: `drawn-17` is the text of seed 17.

A program is drawn statement by statement. Each runs at once on PyTorch's device "meta", in the
card's place, and stays if that goes well: so its results have shapes to go on with.
"""

from __future__ import annotations

import linecache
import random
import re
import warnings
from functools import cache
from typing import Any

import torch

from benchmarks.fidelity import calls
from benchmarks.fidelity.programs import Program

PREFIX = "drawn-"
CARDS = ("16GiB",)
_HEAD = (
    "import torch",
    "from torch import nn",
    "from torch.nn import functional as F",
    "from torch.utils.checkpoint import checkpoint",
)
_STATEMENTS = (16, 40)
_TRIES = 20
_LARGEST, _DIMENSIONS = 2**27, 6
"""The largest tensor, in bytes."""
_FLOATS = ("float32", "float32", "float32", "float16", "bfloat16", "float64")
_WHOLE = ("int64", "int64", "int32", "uint8", "int16", "bool")
_DEVICES = ('"cuda"', '"cuda:0"', "torch.device('cuda')", "torch.device('cuda', 0)", "0")
_ON_META = (
    (r"\.(cpu|pin_memory|item)\(\)", ""),
    (r"\.cuda\([^()]*\)", ".to('meta')"),
    (r"torch\.cuda\.FloatTensor\(([^)]*)\)\.", r"torch.empty(\1, device='meta')."),
    (r"\.type\((?:dtype=)?'?torch\.cuda\.FloatTensor'?\)", ".to(torch.float32)"),
    (r"\.type\((?:dtype=)?'?torch\.cuda\.HalfTensor'?\)", ".to(torch.float16)"),
    (r"\.type\((?:dtype=)?'?torch\.cuda\.DoubleTensor'?\)", ".to(torch.float64)"),
    (r"torch\.autocast\([^()]*\)", "torch.enable_grad()"),
    (r"checkpoint\((\w+), (.*), use_reentrant=\w+\)", r"\1(\2)"),
    (r"scaler\.scale\((\w+)\)", r"\1"),
    (r"torch\.device\('cuda'(, 0)?\)", "torch.device('meta')"),
    (r"(device=|\.to\()0\b", r"\1'meta'"),
    (r"""(["'])cuda(:0)?\1""", "'meta'"),
)
"""What stands in a statement for the card, and what it is on "meta"."""
_PLACES = (
    *(".cuda()", ".cuda(0)", '.cuda(device="cuda:0")', '.to("cuda")', ".to(device=0)"),
    *(".float().cuda()", '.to("cuda", dtype=torch.float32)', '.to("cuda", non_blocking=True)'),
    '.to(torch.zeros(1, device="cuda"))',
)
_WITHOUT_CUDNN = "torch.backends.cudnn.flags(enabled=False)"
_SIZES = {"b": (1, 32), "k": (1, 3), "n": (1, 500), "l": (1, 40), "m": (1, 40)}
_ARGUMENT = re.compile(r"(\??)(\*?)(?:(\w+)=(?!=))?(.*)", re.DOTALL)


def text(name: str) -> str:
    """Return the text of a drawn program; of `drawn-17:5` the first five statements."""
    seed, _, count = name.removeprefix(PREFIX).partition(":")
    return "\n".join(statements(int(seed))[: int(count) if count else None]) + "\n"


def program(name: str, source: str) -> Program:
    """Return the program with a text that was drawn."""
    space: dict[str, Any] = {}  # stays until all is measured
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)

    def play() -> None:
        exec(compile(source, name, "exec"), space)  # noqa: S102 -- it is ours

    return Program(name, name, play, CARDS, ())


@cache
def statements(seed: int) -> list[str]:
    """Return the program that a seed makes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _Drawing(seed).lines


class _Drawing:
    """One program, while it is drawn.

    Its public methods are what may stand in braces in `calls.py`, and return text.
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 -- no secrets
        self.lines = list(_HEAD)
        self._space: dict[str, Any] = {}
        self._start: dict[str, Any] = {}
        self._before: list[str] = []
        self._count = 0
        exec("\n".join(_HEAD), self._space)  # noqa: S102 -- it is ours
        self._begin_line()
        kinds = (
            *(self._operate,) * 10,
            *(self._change,) * 3,
            *(self._make,) * 2,
            *(self._use_module,) * 3,
            *(self._differentiate, self._forget, self._forget),
        )
        self._make()
        wanted = self._random.randint(*_STATEMENTS)
        while len(self.lines) < wanted:
            self._choice(kinds)()

    # --- Statements -----------------------------------------------------------

    def _operate(self) -> None:
        self._try(calls.OPERATIONS, lambda call: f"{self._target()} = {call}")

    def _change(self) -> None:
        self._try(calls.CHANGES, lambda call: call)

    def _make(self) -> None:
        self._try(calls.FACTORIES, lambda call: f"{self._target()} = {call}")

    def _forget(self) -> None:
        names = list(self._tensors())
        if len(names) > 2:
            self._add(f"del {self._choice(names)}")
        if self._random.random() < 0.1:
            self._say("torch.cuda.empty_cache()")

    def _differentiate(self) -> None:
        names = [name for name, each in self._tensors().items() if each.requires_grad]
        if not names:
            return
        name = self._choice(names)
        again = self.text("", "", "retain_graph=True")
        ways = (f"{name}.sum().backward({again})", f"{name}.backward(torch.ones_like({name}))")
        self._add(self._choice(ways))

    def _use_module(self) -> None:
        """Make a module, and use it or train it."""
        self._begin_line()
        made, _, taken = self._choice(calls.MODULES).partition(" @ ")
        model = self._name("m")
        plays_cells = any(each in made for each in ("RNN", "LSTM", "GRU"))
        context = _WITHOUT_CUDNN if plays_cells else ""
        if not self._add(_within(context, f"{model} = {self._filled(made)}{self.text(*_PLACES)}")):
            return
        given = self._filled(taken)
        call = f"{model}({given})"
        if "=" not in given and self._random.random() < 0.1:
            call = f"checkpoint({model}, {given}, use_reentrant=False)"
        result = self._target()
        if self._add(_within(context, f"{result} = {call}")) and self._random.random() < 0.5:
            self._train(model, call, result, context)

    def _train(self, model: str, call: str, result: str, context: str) -> None:
        found = self._space[result]
        if isinstance(found, tuple):
            call, found = f"{call}[0]", found[0]
        module = self._space[model]
        if not (list(module.parameters()) and found.requires_grad):
            return
        self._begin_line({"p": f"{model}.parameters()"})
        optimizer = self._name("o")
        self._say(f"{optimizer} = torch.optim.{self._filled(self._choice(calls.OPTIMIZERS))}")
        # The stub plays an older API of cuDNN, which has no convolution in bfloat16.
        has_cudnn = any("Conv" in type(each).__name__ for each in module.modules())
        half = self.text("", "", "float16", "float16" if has_cudnn else "bfloat16")
        if half:
            autocast = f"torch.autocast(device_type='cuda', dtype=torch.{half})"
            context = f"{autocast}, {context}" if context else autocast
        if half == "float16":
            self._say("scaler = torch.amp.GradScaler('cuda')")
        loss = self.text(".mean()", ".sum()", ".square().mean()", ".abs().sum()")
        forward = _within(context, f"loss = {call}.float(){loss}")
        for _ in range(self._random.randint(1, 3)):
            self._step(model, optimizer, forward, is_scaled=half == "float16")

    def _step(self, model: str, optimizer: str, forward: str, *, is_scaled: bool) -> None:
        """Train for a step; what "meta" cannot run stays unproved."""
        if self._random.random() < 0.7:  # or it accumulates
            self._say(f"{optimizer}.zero_grad({self.text('', 'set_to_none=False')})")
        backward = "scaler.scale(loss).backward()" if is_scaled else "loss.backward()"
        if not (self._add(forward) and self._add(backward)):
            return
        if self._random.random() < 0.3:
            parameters = f"{model}.parameters()"
            self._say(f"nn.utils.clip_grad_norm_({parameters}, 1.0, foreach={self.how()})")
        self._say(f"scaler.step({optimizer})" if is_scaled else f"{optimizer}.step()")
        if is_scaled:
            self._say("scaler.update()")

    def _try(self, table: tuple[str, ...], write: Any) -> None:
        """Add a statement of a line of the table that goes well."""
        for _ in range(_TRIES):
            self._begin_line()
            call = self._filled(self._choice(table))
            text = write(call)
            if self._random.random() < 0.08:
                text = _within(self.text("torch.no_grad()", "torch.device('cuda')"), text)
            if self._add(text):
                return

    def _add(self, text: str) -> bool:
        """Add a statement, and what was made for it, if it runs on "meta" and is not too large."""
        try:
            exec(_on_meta(text), self._space)  # noqa: S102 -- it is ours
            new = [each for n, each in self._space.items() if each is not self._start.get(n)]
            fits = all(t.nbytes <= _LARGEST and t.dim() <= _DIMENSIONS for t in _parts(new))
        except Exception:  # noqa: BLE001 -- whatever it is, the statement is not for a program
            fits = False
        if fits:
            self.lines += [*self._before, text]
            self._start = dict(self._space)
        else:
            self._space = dict(self._start)
        self._before = []
        return fits

    def _say(self, text: str) -> None:
        self.lines.append(text)

    # --- What stands in a line ------------------------------------------------

    def _begin_line(self, known: dict[str, str] | None = None) -> None:
        self._known = dict(known or {})
        self._before = []
        self._start = dict(self._space)
        self._last = ""

    def _filled(self, line: str) -> str:
        """Return a line of `calls.py` with its arguments at their places or by their names."""
        text = re.sub(r"\{([^{}]+)\}", lambda found: self._put(found[1]), line)
        if not text.endswith(")"):
            return text
        depth = 0
        for start in reversed(range(len(text))):
            depth += (text[start] == ")") - (text[start] == "(")
            if depth == 0:
                break
        return f"{text[:start]}({self._arguments(text[start + 1 : -1].split('; '))})"

    def _arguments(self, parts: list[str]) -> str:
        """Return arguments: by position up to one of them, by name from there."""
        by_name = self._random.randint(0, len(parts))
        until = self._random.randint(0, len(parts))
        found: list[str] = []
        for index, part in enumerate(parts):
            optional, keyword, name, value = re.fullmatch(_ARGUMENT, part).groups()  # type: ignore[union-attr]  # matches all
            if optional and index >= until:
                if not keyword:
                    break
                continue
            is_after_name = any(re.match(r"\w+=", each) for each in found[-1:])
            named = name and (keyword or index >= by_name or is_after_name)
            found.append(f"{name}={value}" if named else value)
        return ", ".join(found)

    def _put(self, what: str) -> str:
        name, *rest = what.split()
        if len(name) == 1 and name not in "xfitp" and not rest:
            return self._size(name)
        if name in self._known and name in "xp":
            return self._known[name]
        return str(getattr(self, name)(*rest))

    def _size(self, letter: str) -> str:
        """Return the size that a letter stands for in this line."""
        if not letter.isalpha():
            return letter
        if letter == "s":
            return str(self._shape()[0] if self._shape() else 1)
        if letter not in self._known:
            low, high = _SIZES.get(letter, (1, 200))
            size = int(low * (high / low + 1) ** self._random.random())
            self._known[letter] = str(8 * self._random.randint(1, 32) if letter == "e" else size)
        return self._known[letter]

    def text(self, *choices: str) -> str:
        """Choose one of some."""
        return self._random.choice(choices)

    def flag(self) -> str:
        """Choose yes or no."""
        return self.text("True", "False")

    def how(self) -> str:
        """Choose how an optimizer works."""
        return self.text("True", "False", "None")

    def reduction(self) -> str:
        """Choose what becomes of losses."""
        return self.text("'mean'", "'sum'", "'none'")

    def float(self) -> str:
        """Choose a type with fractions."""
        return f"torch.{self._choice(_FLOATS)}"

    def int(self) -> str:
        """Choose a type of whole numbers."""
        return f"torch.{self._choice(_WHOLE)}"

    def dtype(self) -> str:
        """Choose a type."""
        return self.text(self.float(), self.float(), self.int())

    def device(self) -> str:
        """Choose a name of the card."""
        return self.text(*_DEVICES)

    def dim(self) -> str:
        """Choose a dimension of the tensor before."""
        return str(self._random.randint(-1, max(len(self._shape()) - 1, 0)))

    def dim0(self) -> str:
        """Choose one, the same throughout the line."""
        return self._known.setdefault("dim0", self.dim())

    def shape(self) -> str:
        """Choose a shape, most of them small."""
        bytes_left, sizes = 2 ** self._random.uniform(0, 24), []
        for _ in range(self._random.randint(1, 4)):
            sizes.append(max(1, int(bytes_left ** self._random.random())))
            bytes_left /= sizes[-1]
        return f"({', '.join(map(str, sizes))},)"

    def new(self, *letters: str) -> str:
        """Make a tensor of these sizes first, `r` for one with a gradient."""
        sizes = [self._size(each) for each in letters if each != "r"]
        gradient = "True" if "r" in letters else self.flag()
        text = f"torch.randn({', '.join(sizes)}, device={self.device()}, requires_grad={gradient})"
        if len(sizes) == 4 and self._random.random() < 0.2:
            text += ".to(memory_format=torch.channels_last)"
        self._last = self._made(text)
        return self._last

    def index(self, high: str, *letters: str) -> str:
        """Make whole numbers below the first size first."""
        sizes = ", ".join([self._size(each) for each in letters])
        return self._made(f"torch.randint({self._size(high)}, ({sizes},), device={self.device()})")

    def _made(self, text: str) -> str:
        name = self._name("v")
        self._before.append(f"{name} = {text}")
        exec(_on_meta(self._before[-1]), self._space)  # noqa: S102 -- it is ours
        return name

    def last(self) -> str:
        """Name the tensor before."""
        return self._last

    def x(self) -> str:
        """Choose a tensor."""
        return self.f() if self._random.random() < 0.8 else self._pick("x", lambda _: True)

    def x2(self) -> str:
        """Choose another."""
        return self._pick("x2", lambda _: True)

    def f(self) -> str:
        """Choose one with fractions."""
        return self._pick("f", torch.Tensor.is_floating_point)

    def i(self) -> str:
        """Choose one of whole numbers."""
        return self._pick("i", lambda each: not each.is_floating_point())

    def t(self) -> str:
        """Choose several tensors."""
        several = [n for n, each in self._space.items() if _is_several(each)]
        return self.text(*several) if several else "none"

    def same(self) -> str:
        """Choose a tensor of the shape and type of the one before."""
        own = self._space[self._last]
        alike = [
            name
            for name, each in self._tensors().items()
            if each.shape == own.shape and each.dtype == own.dtype
        ]
        return self.text(*alike, self.fresh())

    def fresh(self) -> str:
        """Make a tensor of the shape and type of the one before."""
        return f"torch.ones_like({self._last})"

    def mate(self) -> str:
        """Choose what goes with the tensor before, element by element."""
        sizes = [each if self._random.random() < 0.7 else 1 for each in self._shape()]
        sizes = sizes[self._random.randint(0, len(sizes)) :]
        other = f"torch.ones({tuple(sizes)}, device={self.device()}, dtype={self.dtype()})"
        return self.text(self.same(), other, self.text("2", "0.5", "-1", "1.5"))

    def mask(self) -> str:
        """Say where something is so in the tensor before."""
        return f"({self._last} {self.text('>', '==', '<=')} {self.text('0', '0.5')})"

    def place(self) -> str:
        """Make whole numbers in the shape of the tensor before."""
        return f"torch.zeros_like({self._last}, dtype=torch.int64)"

    def right(self) -> str:
        """Make what can be multiplied from the right."""
        return self._operand((self._shape() or (1,))[-1], self._size("w"))

    def rows(self) -> str:
        """Make what can be multiplied from the right when it is transposed."""
        return self._operand(self._size("w"), (self._shape() or (1,))[-1])

    def _operand(self, *sizes: object) -> str:
        shape = ", ".join(map(str, sizes))
        dtype = self._space[self._last].dtype
        how = f"dtype={dtype}, requires_grad={self.flag()}"
        return f"torch.ones({shape}, device={self.device()}, {how})"

    def _pick(self, key: str, fits: Any) -> str:
        names = [name for name, each in self._tensors().items() if fits(each)]
        if not names:
            new = self.index("n", "h", "w") if key == "i" else self.new("h", "w")
            return self._known.setdefault(key, new)
        self._last = self.text(*names)
        return self._known.setdefault(key, self._last)

    def _tensors(self) -> dict[str, torch.Tensor]:
        return {n: each for n, each in self._space.items() if isinstance(each, torch.Tensor)}

    def _shape(self) -> tuple[Any, ...]:
        own = self._space.get(self._last)
        return () if own is None else tuple(own.shape)

    def _target(self) -> str:
        names = list(self._tensors())
        return self.text(*names) if names and self._random.random() < 0.2 else self._name("v")

    def _name(self, letter: str) -> str:
        self._count += 1
        return f"{letter}{self._count}"

    def _choice(self, choices: Any) -> Any:
        return self._random.choice(list(choices))


def _within(context: str, text: str) -> str:
    return f"with {context}:\n    {text}" if context else text


def _on_meta(text: str) -> str:
    for pattern, other in _ON_META:
        text = re.sub(pattern, other, text)
    return text


def _is_several(value: object) -> bool:
    return isinstance(value, (tuple, list)) and all(isinstance(e, torch.Tensor) for e in value)


def _parts(values: list[Any]) -> list[torch.Tensor]:
    """Return the tensors in some values."""
    flat = (part for each in values for part in (each if _is_several(each) else [each]))
    return [each for each in flat if isinstance(each, torch.Tensor)]
