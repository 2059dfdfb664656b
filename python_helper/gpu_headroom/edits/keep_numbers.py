"""Keep a number, or a value without its graph or off the card, instead of a whole graph."""

from __future__ import annotations

import ast
import builtins
import re
from typing import TYPE_CHECKING

from ..code.find import assigned, called, calls, dotted, mentions, names, under
from ..code.flow import WITHOUT, backwards, derived, evaluates, leaves, trains
from ..code.source import CellSource, Function, Refused
from .rewrite import rewriting

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

_ADDING = ("append", "appendleft", "add", "extend", "insert", "put")
_JOINING = ("cat", "concat", "concatenate", "stack", "vstack", "hstack")
# A number has none of what a tensor has.
_OF_CONTAINERS = {
    *_ADDING,
    "clear",
    "copy",
    "count",
    "get",
    "items",
    "keys",
    "pop",
    "setdefault",
    "values",
}
# These take values from anywhere.
_TAKES_ALL = {"print", "zip", "enumerate", "len", "isinstance", "save", "plot", "scatter", "hist"}
_LIBRARIES = {"torch", "F", "nn", "np", "numpy", "plt", "pd", "sns", "math", "metrics"}
_LOSS = re.compile(r"loss|criterion", re.IGNORECASE)
_MOVES = ("to", "cuda")
_PLAIN = {"item", "tolist", "numpy", "float", "int", "str", "len", "bool"}


@rewriting
def kept(  # noqa: PLR0913  all that can be said of a value
    source: CellSource,
    container: str,
    value: str | None,
    how: str,
    beside: Collection[str] = (),
    *,
    one: bool = True,
) -> None:
    """`kept(container, value, how)`: what is put into a list, dict or sum is kept as `how` says.

    `container` is where it is kept: `losses`, `self.losses`, `log['loss']`, a sum `total`.
    `value` is the variable that is kept, or `None` for whatever is. `how` is `.item()` for a
    number, `.detach()`, `.cpu()`, or both: `.detach().cpu()`. Understood are `append`, `extend`
    and the like, `total += loss`, `total = total + loss`, `history[k] = out`, comprehensions and
    `torch.cat([outs, out])`. Refused where gradients are computed from what is kept, or where a
    function that does not train returns it for that; `.item()` where it is used as a tensor later:
    then ask for `.detach()`; `.cpu()` where it meets what is on the card. What it meets in a
    container of tensors that is `beside` it is kept on the host with it. Without `one` a value is
    several tensors, of which each has to be named: `outs.append((a, b))`.
    """
    wanted = container.replace('"', "'")
    later = derived(source.tree, wanted)
    if any(mentions(each, later) for each in backwards(source.tree)):
        raise Refused
    if not _kept(source, wanted, value, how, one=one):
        raise Refused
    if how == ".item()" and _as_tensor(source.tree, wanted, later):
        raise Refused
    if "cpu" in how:
        _kept_beside(source, later, {each for each in beside if each != wanted})


def _kept(source: CellSource, wanted: str, value: str | None, how: str, *, one: bool = True) -> int:
    """Keep less in one container; return how often something is put there."""
    places = 0
    functions: dict[ast.AST, ast.expr] = {}
    for node in ast.walk(source.tree):
        for each in _values(node, wanted):
            if not one and not isinstance(each, (ast.Tuple, ast.List, ast.Dict)):
                raise Refused
            for member in _members(each, value):
                places += _append(source, member, how)
                functions[source.function(member)] = member
    if any(_returned(source, each, wanted) for each in functions.values()):
        raise Refused
    return places


def _kept_beside(source: CellSource, later: set[str], beside: set[str]) -> None:
    """Keep on the host what meets there what is kept there."""
    for _ in range(len(beside) + 1):
        others = list(meets(source.tree, later))
        found = {one for one in beside if any(mentions(each, {one}) for each in others)}
        if not others:
            return
        for one in found:
            if not _kept(source, one, None, ".cpu()"):
                raise Refused
            later = later | derived(source.tree, one)
        beside = beside - found
        if not found:
            break
    raise Refused


@rewriting
def entries_kept(source: CellSource, container: str, how: str = ".detach()") -> None:
    """`entries_kept(container)`: of a dict that is appended each tensor is kept without its graph.

    `outs.append(out)` becomes `outs.append({k: v.detach() if hasattr(v, "detach") else v ...})`,
    where the text shows that `out` is a dict, and that it is not changed behind that.
    """
    later = derived(source.tree, container)
    if any(mentions(each, later) for each in backwards(source.tree)):
        raise Refused
    for node in ast.walk(source.tree):
        for each in _values(node, container):
            uses = [
                one
                for one in ast.walk(source.function(each))
                if isinstance(one, ast.Subscript)
                and dotted(one.value) == dotted(each) != ""
                and isinstance(getattr(one.slice, "value", None), str)
            ]
            if not uses or any(
                isinstance(one.ctx, ast.Store) and one.lineno > each.lineno for one in uses
            ):
                raise Refused
            kept_as = f'v{how} if hasattr(v, "detach") else v'
            source.replace(each, f"{{k: {kept_as} for k, v in {dotted(each)}.items()}}")


def stay_apart(texts: Iterable[str], *containers: str) -> bool:
    """Whether no cell needs on the card what containers keep on the host, nor what it becomes."""
    try:
        body = [each for text in texts for each in CellSource(text).tree.body]
        tree = ast.Module(body, [])
        later = derived(tree, *containers)
        later = derived(tree, *later, *_given_away(tree, later))
        return not any(meets(tree, later))
    except (Refused, RecursionError):
        return False


def _given_away(tree: ast.AST, later: set[str]) -> Iterator[str]:
    """Yield the functions that return one of these."""
    for function in ast.walk(tree):
        if isinstance(function, Function) and any(
            isinstance(each, ast.Return) and each.value and mentions(each.value, later)
            for each in ast.walk(function)
        ):
            yield function.name


@rewriting
def detached_state(source: CellSource, *names: str, several: bool = False) -> None:
    """`detached_state("h")`: a hidden state is detached in each step of the loop it goes through.

    Several names (`"h", "c"`) are detached together; `several` says that one name is a tuple of
    tensors. At the head of the loop, or at its end where it starts as `None`.
    """
    loops = [
        node
        for node in ast.walk(source.tree)
        if isinstance(node, (ast.For, ast.While))
        and all(_carried(source, node, name) for name in names)
    ]
    if not loops:
        raise Refused
    loop = loops[-1]
    each = "tuple([each.detach() for each in {0}])" if several else "{0}.detach()"
    code = f"{', '.join(names)} = {', '.join([each.format(name) for name in names])}"
    if any(code in line for line in source.lines):
        raise Refused
    if any(
        assigned(node) in names and isinstance(node.value, ast.Constant)
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Assign)
    ):
        source.after(loop.body[-1], code)
    else:
        source.before(loop.body[0], code)


@rewriting
def detached_leaf(source: CellSource, name: str) -> None:
    """`detached_leaf("x_adv")`: an input that a loop improves begins each step without a past.

    `x = x.detach().requires_grad_()` at the head of a loop that asks `autograd.grad` for the
    gradient of `x` and makes it anew from that. Refused where that goes backward; what becomes of
    it elsewhere `goes_nowhere` says.
    """
    asked = [each for each in ast.walk(source.tree) if _asks(each, name)]
    if len(asked) != 1:
        raise Refused
    loop = source.loop(asked[0])
    function = source.function(loop)
    others = [each for each in backwards(function) if each is not asked[0]]
    if not _carried(source, loop, name) or others:
        raise Refused
    code = f"{name} = {name}.detach().requires_grad_()"
    if any(code in line for line in source.lines):
        raise Refused
    source.before(loop.body[0], code)


def goes_nowhere(texts: Iterable[str], name: str) -> bool:
    """Whether no cell asks for gradients of a name, or of what the functions with it return."""
    try:
        body = [each for text in texts for each in CellSource(text).tree.body]
    except Refused:
        return False
    givers = {
        each.name: each
        for each in body
        if isinstance(each, Function) and any(_asks(node, name) for node in ast.walk(each))
    }
    tree = ast.Module([each for each in body if each not in givers.values()], [])
    later = derived(tree, name, *givers)
    return not any(mentions(each, later) for each in backwards(tree) if not _asks(each, name))


def _asks(node: ast.AST, name: str) -> bool:
    """Whether it is `autograd.grad(loss, name)`."""
    if called(node) != "grad" or not isinstance(node, ast.Call) or len(node.args) < 2:  # noqa: PLR2004  what, and of what
        return False
    return name in {dotted(each) for each in leaves(node.args[1])}


def _values(node: ast.AST, wanted: str) -> Iterator[ast.expr]:
    """Yield what a node puts into the container."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        owner = dotted(node.func.value)
        inside = (
            owner == wanted or owner.startswith(f"{wanted}[") or _entry(node.func.value, wanted)
        )
        if inside and node.func.attr in _ADDING and node.args:
            last = node.args[-1]
            if node.func.attr != "extend":
                yield last
            elif isinstance(last, (ast.ListComp, ast.GeneratorExp)):
                yield last.elt
            else:
                yield from last.elts if isinstance(last, (ast.List, ast.Tuple)) else [last]
    elif isinstance(node, ast.AugAssign):
        if isinstance(node.op, ast.Add) and dotted(node.target) == wanted:
            yield node.value
    elif isinstance(node, ast.Assign) and len(node.targets) == 1:
        (target,), value = node.targets, node.value
        if isinstance(target, ast.Subscript) and wanted in (dotted(target.value), dotted(target)):
            yield value
        elif dotted(target) == wanted:
            yield from _joined(value, wanted)


def _joined(value: ast.expr, wanted: str) -> Iterator[ast.expr]:
    """Yield what is joined with the container's old value, or makes up a new one."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        sides = [value.left, value.right]
        if wanted in map(dotted, sides):
            yield from [each for each in sides if dotted(each) != wanted]
    elif isinstance(value, ast.IfExp):
        for each in (value.body, value.orelse):
            yield from [each] if isinstance(each, ast.Name) else _joined(each, wanted)
    elif isinstance(value, ast.ListComp):
        yield value.elt
    elif isinstance(value, ast.DictComp):
        yield value.value
    elif called(value) in _JOINING and isinstance(value, ast.Call) and value.args:
        parts = getattr(value.args[0], "elts", [])
        if wanted in map(dotted, parts):
            yield from [each for each in parts if dotted(each) != wanted]


def _entry(node: ast.expr, wanted: str) -> bool:
    """Whether it is `wanted[k]`, or `wanted.setdefault(k, [])`."""
    if isinstance(node, ast.Call) and called(node) == "setdefault":
        node = node.func.value if isinstance(node.func, ast.Attribute) else node
        return dotted(node) == wanted
    return isinstance(node, ast.Subscript) and dotted(node.value) == wanted


def _members(node: ast.expr, value: str | None) -> Iterator[ast.expr]:
    """Yield what of an expression is kept: the named value, wherever it is computed with."""
    if isinstance(node, (ast.Tuple, ast.List)):
        for each in node.elts:
            yield from _members(each, value)
    elif isinstance(node, ast.Dict):
        for each in node.values:
            yield from _members(each, value)
    elif value is None or dotted(node) == value:
        yield node
    elif isinstance(node, ast.BinOp):
        yield from _members(node.left, value)
        yield from _members(node.right, value)
    elif isinstance(node, ast.UnaryOp):
        yield from _members(node.operand, value)
    elif isinstance(node, ast.Call) and mentions(node, {value}):
        yield node


def _append(source: CellSource, node: ast.expr, how: str) -> bool:
    """Write the calls of `how` behind an expression, without those that it has."""
    has, inner = set(), node
    while isinstance(inner, (ast.Call, ast.Attribute)):
        name = called(inner) if isinstance(inner, ast.Call) else inner.attr
        has |= {name, *(["detach"] if name == "data" else [])}
        function = inner.func if isinstance(inner, ast.Call) else inner
        inner = function.value if isinstance(function, ast.Attribute) else function
    parts = [f".{each}" for each in how.split(".")[1:] if each.removesuffix("()") not in has]
    constant = isinstance(node, ast.Constant) or has & _PLAIN
    if constant or not parts:
        return False
    bare = isinstance(node, (ast.Name, ast.Call, ast.Attribute, ast.Subscript))
    start, end = source.span(node)
    if bare:
        source.replace((end, end), "".join(parts))
    else:
        source.replace((start, start), "(")
        source.replace((end, end), f"){''.join(parts)}")
    return True


def _as_tensor(tree: ast.AST, wanted: str, later: set[str]) -> bool:
    """Whether something is done with what is kept that cannot be done with numbers."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr not in _OF_CONTAINERS:
            owner = node.value.value if isinstance(node.value, ast.Subscript) else node.value
            if dotted(owner) in later and dotted(node) not in later | {wanted}:
                return True
    return any(mentions(each, later) for call in calls(tree, *_JOINING) for each in call.args)


def _returned(source: CellSource, node: ast.expr, wanted: str) -> bool:
    """Whether a function gives away what it keeps, and nothing says that it only evaluates."""
    function = source.function(node)
    if not isinstance(function, Function) or trains(function) or evaluates(function.name):
        return False
    if under(iter([function, *source.parents(node)]), *WITHOUT):
        return False
    later = derived(function, wanted)
    return any(
        isinstance(each, (ast.Return, ast.Yield)) and each.value and mentions(each.value, later)
        for each in ast.walk(function)
    )


def meets(tree: ast.AST, later: set[str]) -> Iterator[ast.expr]:
    """Yield what is computed with together with these names, and may be on the card.

    Also what is called with one of them: unless it is of a library, or a function that is here,
    it may be a model.
    """
    later = later | _taken(tree, later)
    own = {each.name for each in ast.walk(tree) if isinstance(each, Function)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            if any(isinstance(each, (ast.In, ast.NotIn, ast.Is, ast.IsNot)) for each in node.ops):
                continue
        elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Sub, ast.MatMult)):
            sides = [node.left, node.right]
        elif isinstance(node, ast.Call) and called(node) not in {*_TAKES_ALL, *_OF_CONTAINERS}:
            sides = [*node.args, *[each.value for each in node.keywords if each.arg != "dim"]]
        else:
            continue
        if any(mentions(each, later) and not _plain(each, *_MOVES) for each in sides):
            others = [each for each in sides if names(each) and not mentions(each, later)]
            yield from [each for each in others if not _plain(each)]
            if isinstance(node, ast.Call) and called(node) not in own and not _of_library(node):
                yield node.func


def _taken(tree: ast.AST, later: set[str]) -> set[str]:
    """Return the parameters of functions that are called with one of these."""
    found: set[str] = set()
    taking = {
        called(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and any(mentions(each, later) and not _plain(each, *_MOVES) for each in node.args)
    }
    for node in ast.walk(tree):
        if isinstance(node, Function) and node.name in taking:
            arguments = {each.arg for each in node.args.args} - {"self"}
            found |= derived(node, *arguments)
    return found


def _of_library(call: ast.Call) -> bool:
    """Whether it is of a library as far as names tell, Python's own, or a loss: no model."""
    name = dotted(call.func)
    root, _, rest = name.partition(".")
    of_python = not rest and name in vars(builtins)
    return of_python or (root in _LIBRARIES and bool(rest)) or _LOSS.search(name) is not None


def _plain(node: ast.expr, *also: str) -> bool:
    """Whether a number or a value on the host is made of it, or one of these methods is called."""
    return any(
        called(each) in {*_PLAIN, "cpu", *also} or getattr(each, "attr", "") in ("shape", "ndim")
        for each in ast.walk(node)
    )


def _carried(source: CellSource, loop: ast.For | ast.While, name: str) -> bool:
    """Whether a loop reads a name, and gives it another value for its next step."""
    stores = [
        node
        for node in ast.walk(loop)
        if isinstance(node, ast.Assign)
        and name in [dotted(one) for each in node.targets for one in leaves(each)]
        and source.loop(node) is loop
    ]
    return any(mentions(node.value, {name}) for node in stores)
