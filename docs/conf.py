"""The documentation site: Sphinx reads Markdown with MyST and draws it with the PyData theme."""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))
sys.path[:0] = [str(ROOT / "docs"), str(ROOT / "python_helper")]

project = "GPU Headroom"
author = PACKAGE["author"]
copyright = author  # noqa: A001  Sphinx calls it so
version = release = PACKAGE["version"]

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
    "sphinx_design",
    "extensions.links",
    "extensions.pictures",
    "extensions.schemas",
]
exclude_patterns = ["_build", "extensions", "images"]
nitpicky = True
# The standard library's pages are not fetched: a build needs no network.
nitpick_ignore_regex = [("py:.*", r"(?!gpu_).*")]

# --- Markdown -----------------------------------------------------------------

myst_enable_extensions = ["attrs_block", "attrs_inline", "colon_fence", "deflist"]
# As on GitHub: `page.md#a-heading`.
myst_heading_anchors = 4
suppress_warnings = ["myst.header"]  # generated parts start at the level that they need

# --- Python -------------------------------------------------------------------

autodoc_typehints = "signature"
# Docstrings write names as Markdown does.
default_role = "code"
add_module_names = False
python_use_unqualified_type_names = True

# --- Links out of the site: `make docs LINKS=yes` ---------------------------------

linkcheck_timeout = 20
linkcheck_retries = 2
linkcheck_anchors = False  # pages of others are drawn by scripts

# --- Appearance -------------------------------------------------------

html_theme = "pydata_sphinx_theme"
html_title = project
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_logo = "../style/icons/gpu.svg"
html_favicon = "../style/icons/gpu.svg"
html_copy_source = False
html_show_sourcelink = False
html_last_updated_fmt = None
html_theme_options = {
    "logo": {"text": project},
    "icon_links": [{"name": "Source", "url": PACKAGE["homepage"], "icon": "fa-brands fa-github"}],
    "navbar_align": "left",
    "header_links_before_dropdown": 4,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "show_prev_next": True,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
copybutton_exclude = ".linenos, .gp, .go"
