"""What releases, issues and citations are made from is whole, and says one version."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from email import message_from_string
from typing import TYPE_CHECKING

import pytest
from ruamel.yaml import YAML

from scripts.release_said import ROOT, disagreements, foreign_addresses, package

if TYPE_CHECKING:
    from pathlib import Path

GITHUB = ROOT / ".github"
WORKFLOWS = sorted(GITHUB.glob("workflows/*.yml"))
SCHEMAS = {
    "citation-file-format": [ROOT / "CITATION.cff"],
    "github-actions": sorted(GITHUB.glob("actions/*/action.yml")),
    "github-issue-config": [GITHUB / "ISSUE_TEMPLATE" / "config.yml"],
    "github-issue-forms": sorted(
        set(GITHUB.glob("ISSUE_TEMPLATE/*.yml")) - {GITHUB / "ISSUE_TEMPLATE" / "config.yml"}
    ),
    "github-workflows": WORKFLOWS,
}
EXTENSION_MANAGER = {
    "Framework :: Jupyter :: JupyterLab :: 4",
    "Framework :: Jupyter :: JupyterLab :: Extensions",
    "Framework :: Jupyter :: JupyterLab :: Extensions :: Prebuilt",
}


@pytest.fixture
def wheel() -> zipfile.ZipFile:
    """The wheel that `make wheel` built; `make check` builds none."""
    path = os.environ.get("GPU_HEADROOM_WHEEL")
    if not path:
        pytest.skip("no wheel is named")
    return zipfile.ZipFile(path)


def read(wheel: zipfile.ZipFile, ending: str) -> str:
    """The one file of a wheel whose name ends so."""
    (name,) = (name for name in wheel.namelist() if name.endswith(ending))
    return wheel.read(name).decode()


@pytest.mark.parametrize("schema", SCHEMAS)
def test_holds_to_its_schema(schema: str) -> None:
    """Workflows, forms and citation are what their readers expect."""
    files = SCHEMAS[schema]
    assert files
    checker = (sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}")
    result = subprocess.run([*checker, *files], check=False, text=True, capture_output=True)
    assert result.returncode == 0, result.stdout


def test_the_version_is_said_alike() -> None:
    """Citation, recipe and changelog say package.json's version."""
    assert disagreements() == []


def test_a_tag_has_to_be_the_version() -> None:
    """A release of another version than package.json's ends before anything is built."""
    assert "the tag is v0, package.json says" in "\n".join(disagreements("v0"))


def test_the_address_is_said_alike() -> None:
    """No file names another address of the repository than package.json."""
    assert foreign_addresses() == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_may_read_only(path: Path) -> None:
    """What a job may do beyond reading stands at that job, and all its actions have versions."""
    workflow = YAML(typ="safe").load(path)
    assert workflow["permissions"] == {"contents": "read"}
    assert workflow["concurrency"]
    for name, job in workflow["jobs"].items():
        assert job["timeout-minutes"] <= 180, name
        for action in (step["uses"] for step in job["steps"] if "uses" in step):
            assert re.fullmatch(r"\./.*|[\w-]+/[\w-]+@((release/)?v\d+|[0-9a-f]{40})", action)


def test_ci_asks_make_for_what_it_has() -> None:
    """Each target that a workflow makes is one of the Makefile's."""
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    commands = {
        name
        for path in WORKFLOWS
        for name in re.findall(r"run: make ([a-z-]+)", path.read_text(encoding="utf-8"))
    }
    assert commands - targets == set()


def test_the_wheel_tells_where_we_are(wheel: zipfile.ZipFile) -> None:
    """It has the links and classifiers that PyPI and the extension manager show."""
    text = read(wheel, ".dist-info/METADATA")
    metadata = message_from_string(text)
    links = dict(link.split(", ", 1) for link in metadata.get_all("Project-URL", []))
    home = package()["homepage"]
    assert links == {
        "Homepage": home,
        "Bug Tracker": f"{home}/issues",
        "Source Code": f"{home}.git",
    }
    assert set(metadata.get_all("Classifier", [])) >= EXTENSION_MANAGER
    assert "jupyterlab-extension" in metadata["Keywords"].split(",")
    assert re.findall(r"\]\((?!https://|#).*?\)", text) == []


@pytest.mark.parametrize(("folder", "name"), [("static", "valibot"), ("frames", "preact")])
def test_the_wheel_has_the_licenses_of_what_is_bundled(
    wheel: zipfile.ZipFile, folder: str, name: str
) -> None:
    """Each bundled package is listed with its license, and a known one is among them."""
    packages = json.loads(read(wheel, f"{folder}/third-party-licenses.json"))["packages"]
    assert name in {entry["name"] for entry in packages}
    assert all(entry["licenseId"] and entry["extractedText"].strip() for entry in packages)
