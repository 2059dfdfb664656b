"""The conda recipe, as far as it can be tried without conda: rendered, then its lines are run.

A virtual environment stands in for the one that conda would make, with PyPI's packages in place
of conda-forge's, which have the same names.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from rattler_build import Stage0Recipe, VariantConfig

from scripts.release_program import run_program

if TYPE_CHECKING:
    from pathlib import Path

OLDEST_PYTHON = "3.10"
NO_CONDA = ("python ", "pip")


def rendered(text: str) -> dict[str, Any]:
    """The recipe as rattler-build understands it, all but the paths of its host."""
    variants = Stage0Recipe.from_yaml(text).render(VariantConfig({"python_min": [OLDEST_PYTHON]}))
    (variant,) = variants
    recipe: dict[str, Any] = variant.recipe.to_dict()
    return recipe


def try_recipe(recipe: dict[str, Any], sources: Path, scratch: Path, jupyter: Path) -> list[str]:
    """Build and test the unpacked sdist as the recipe says, and return the lines that were run.

    `jupyter` has the programs of a JupyterLab, which reads the new environment's extensions.
    """
    place = scratch / "conda"
    subprocess.run([sys.executable, "-m", "venv", place], check=True)
    python = str(place / "bin" / "python")
    inherited = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    environment = {
        **inherited,
        "JUPYTER_PATH": str(place / "share" / "jupyter"),
        "PATH": os.pathsep.join([str(place / "bin"), str(jupyter), os.environ["PATH"]]),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }
    host = [spec for spec in recipe["requirements"]["host"] if not spec.startswith(NO_CONDA)]
    run_program([python, "-m", "pip", "install", *host], sources, environment)
    script = [recipe["build"]["script"].replace("${{ PYTHON }}", python)]
    tests: list[str] = []
    for test in recipe["tests"]:
        names = test.get("python", {}).get("imports", [])
        tests += [f"python -c 'import {name}'" for name in names]
        tests += ["python -m pip check"] if names else []
        tests += test.get("script", [])
        tests += [f"test -f {name}" for name in test.get("package_contents", {}).get("files", [])]
    for line, folder in [*((line, sources) for line in script), *((line, place) for line in tests)]:
        run_program(["bash", "-euo", "pipefail", "-c", line], folder, environment)
    return script + tests
