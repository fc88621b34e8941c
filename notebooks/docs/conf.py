"""The site: `sphinx-build -W --keep-going -c notebooks/docs notebooks OUT`.

Its sources are the notebooks beside this folder, as they are stored, and the pages in it.
"""

import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

project = "dynamo_lab"
author = "the dynamo_lab developers"
project_copyright = author
PROJECT = tomllib.loads((HERE.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
version = release = PROJECT["project"]["version"]

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "parts"]
root_doc = "docs/index"
exclude_patterns = ["images", "run_in_cpp", "solutions", "**/.ipynb_checkpoints", "docs/_*"]

nb_execution_mode = "off"  # the tests run them; here they are read
nb_ipywidgets_js = {}  # a notebook that was run and saved would load them from a network
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
suppress_warnings = ["misc.highlighting_failure"]  # magics are no Python

default_role = "code"  # docstrings put code in single backquotes
autodoc_member_order = "bysource"
autodoc_typehints = "description"
napoleon_numpy_docstring = False

html_theme = "furo"
html_title = "dynamo_lab"
html_static_path = ["style"]
html_css_files = ["site.css"]
html_extra_path = ["root"]  # a page that leads from the site's root to the index
if (HERE / "gallery" / "pages").exists():
    html_extra_path.append("gallery/pages")
html_copy_source = html_show_sourcelink = False
html_theme_options = {"navigation_with_keys": True}
pygments_style, pygments_dark_style = "friendly", "github-dark"
