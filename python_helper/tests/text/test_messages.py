"""The catalogue of sentences, and its use in the helper."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest
from gpu_headroom.advice.registry import REMEDIES
from gpu_headroom.holders.place import Edge
from gpu_headroom.text.messages import message

from scripts.sentences import templates

ROOT = Path(__file__).parents[3]
FILES = [
    path
    for package in ("gpu_headroom", "gpu_dry_run")
    for path in (ROOT / "python_helper" / package).rglob("*.py")
]
CATALOGUE = templates(of_consoles=True)
CALLS = {"message", "say", "_row"}
TABLES = {"SENTENCES", "TEXTS"}
PREFIXES = (
    "part.",
    "summary.part.",
    "summary.state.",
    "released.",
    "hint.",
    "path.",
    "worker.",
    "workers.",
    "workers.goes_",
    "dry_run.",
    "warning.caught.",
    "explain.",
    "cause.activations.evidence",
    "cause.other-programs.",
    "remedy.even-ranks",
    "remedy.free-idle",
    "remedy.free-traceback.note_",
    "remedy.own-gpu",
)
# They stand beside their conditions, which name their ends.
OF_SUGGESTIONS = {text for row in REMEDIES.values() for text in row.texts}
OF_STEPS = {
    f"path.{edge.name}"
    for name, module in sys.modules.items()
    if name.startswith("gpu_headroom.holders.")
    for edge in vars(module).values()
    if isinstance(edge, Edge)
}
PLACEHOLDER = re.compile(r"\{([^}]*)\}")


def defined(tree: ast.AST) -> list[ast.expr | None]:
    """Return the ids of the sentences that a module defines."""
    return [
        key
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict)
        if ast.unparse(node.targets[0]) in TABLES
        for key in node.value.keys
    ]


def ids_in_code() -> set[str]:
    """Collect every string of the helper that is shaped like an id of the catalogue."""
    groups = {name.split(".")[0] for name in CATALOGUE}
    shape = re.compile(rf"(?:{'|'.join(groups)})\.[a-z_.-]+")
    ids = set()
    for path in FILES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        keys = defined(tree)
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, (ast.Name, ast.Attribute))
                and (getattr(node.func, "id", None) or getattr(node.func, "attr", None)) in CALLS
            ):
                ids |= {
                    part.value
                    for part in ast.walk(node)
                    if isinstance(part, ast.Constant)
                    and isinstance(part.value, str)
                    and shape.fullmatch(part.value)
                }
            elif isinstance(node, ast.Constant) and node.value in CATALOGUE and node not in keys:
                ids.add(str(node.value))
        ids |= ids_of_causes(tree)
    return ids


def ids_of_causes(tree: ast.AST) -> set[str]:
    """Return the ids that a module makes of a rule and an end, for `advice.finding.cause`."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    if not any(getattr(item.func, "id", None) == "cause" for item in calls):
        return set()
    values = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    rules = {item.partition(".")[0] for item in values if isinstance(item, str)}
    causes = {name: name.split(".")[1:] for name in CATALOGUE if name.startswith("cause.")}
    return {
        name
        for name, (rule, *end) in causes.items()
        if rule in rules and (not end or end[0] in values or f"{rule}.{end[0]}" in values)
    }


def test_code_uses_known_ids() -> None:
    """Every id that the helper passes to the catalogue is in it."""
    assert ids_in_code() <= {*CATALOGUE, *PREFIXES}


def test_a_sentence_stands_in_one_place() -> None:
    """In the first pack, in the catalogue or beside a rule or remedy that is in the registry."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in FILES]
    ids = [ast.literal_eval(key) for tree in trees for key in defined(tree) if key is not None]
    assert sorted(ids) == sorted(set(CATALOGUE) - OF_SUGGESTIONS - OF_STEPS)


def test_every_sentence_is_used() -> None:
    """No sentence stays in the catalogue that nothing says; ids made of a prefix count as used."""
    unused = set(CATALOGUE) - ids_in_code() - OF_SUGGESTIONS
    assert {name for name in unused if not name.startswith(PREFIXES)} == set()


@pytest.mark.parametrize(("name", "template"), CATALOGUE.items())
def test_templates_are_well_formed(name: str, template: str) -> None:
    """A template has named placeholders, closed marks, and no exclamation mark."""
    assert all(re.fullmatch(r"[a-z_]+", key) for key in PLACEHOLDER.findall(template)), name
    assert template.count("`") % 2 == 0
    assert template.count("**") % 2 == 0
    assert not re.search(r"%[%\d]", template)  # these are places of gettext
    assert "!" not in template


def test_fills_sizes_by_their_key() -> None:
    """A parameter whose key ends in `_bytes` is shown as a size, others as they are."""
    sentence = message("cause.activations", CATALOGUE, held_bytes=3 * 2**30, in_use_bytes=4 * 2**30)
    assert sentence["text"] == "**Activations: 3.0 GiB of the 4.0 GiB in tensors.**"
    assert sentence["template"] == CATALOGUE["cause.activations"]
    assert sentence["params"] == {"held_bytes": 3 * 2**30, "in_use_bytes": 4 * 2**30}


def test_refuses_a_missing_parameter() -> None:
    """A sentence with a hole is never said."""
    with pytest.raises(KeyError):
        message("cause.activations", CATALOGUE, held_bytes=1)


def test_keeps_code_marks_closed() -> None:
    """A user's text cannot end the `code` that it stands in."""
    sentence = message("remedy.keep-numbers", CATALOGUE, name="a`b")
    assert sentence["text"] == "Collect values without their graphs in `a'b`"
