"""What the project's files say of its version and address, which package.json decides.

Nothing but the standard library is asked for, so that the tests can ask too.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]

# Where else the version stands: registries and citations read these files, not package.json.
VERSIONS = {
    "CITATION.cff": re.compile(r"^version: (\S+)$", re.MULTILINE),
    "recipe/recipe.yaml": re.compile(r"^  version: (\S+)$", re.MULTILINE),
}
ADDRESS = re.compile(r"https://github\.com/[\w.-]+/gpu-headroom")


def package(root: Path = ROOT) -> dict[str, str]:
    """The top of package.json: name, version, homepage."""
    data = json.loads((root / "package.json").read_text(encoding="utf-8"))
    return {key: value for key, value in data.items() if isinstance(value, str)}


def disagreements(tag: str | None = None, root: Path = ROOT) -> list[str]:
    """What says another version than package.json, in sentences.

    With the tag of a release the changelog has to have its version, too; else what is
    unreleased may still be called so.
    """
    version = package(root)["version"]
    faults = [
        f"{name} says {match[1] if match else 'no version'}, package.json {version}"
        for name, pattern in VERSIONS.items()
        if not (match := pattern.search((root / name).read_text(encoding="utf-8")))
        or match[1] != version
    ]
    heads = re.findall(
        r"^## \[?(\S+?)\]?(?: |$)",
        (root / "CHANGELOG.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    if version not in heads and (tag or "Unreleased" not in heads):
        faults.append(f"CHANGELOG.md has no section {version}")
    if tag and tag != f"v{version}":
        faults.append(f"the tag is {tag}, package.json says {version}")
    return faults


def foreign_addresses(root: Path = ROOT) -> list[str]:
    """Where another address of the repository stands than package.json's homepage."""
    home = package(root)["homepage"]
    files = [
        *(root / name for name in (*VERSIONS, "package.json", "docs/releasing.md")),
        *(root / ".github").rglob("*.*"),
    ]
    return [
        f"{path.relative_to(root).as_posix()}: {address}"
        for path in files
        for address in ADDRESS.findall(path.read_text(encoding="utf-8"))
        if address != home
    ]
