"""Notebooks whose outputs have the full page in place of the script-free copy, for nbconvert.

`jupyter nbconvert --to dynamo_lab_html notebook.ipynb` writes them as HTML. The recordings are
those that the notebook keeps; nothing in it runs. The front-end stands in the file once; each page
is made of it, in a frame of its own, when the reader comes near.
"""

# pyright: reportUnknownMemberType=false
# nbconvert annotates only parts of itself.

from __future__ import annotations

import base64
import gzip
from pathlib import Path
from typing import Any

from nbconvert.exporters import HTMLExporter
from nbconvert.preprocessors import Preprocessor

from dynamo_lab.errors import DynamoLabError
from dynamo_lab.model.core import kept
from dynamo_lab.render.markup import Markup, join, tag
from dynamo_lab.render.page import HOLE, data_of, shell
from dynamo_lab.view import build
from dynamo_lab.view.compare.side_by_side import together

_SHELL = "dynamo-lab-shell"
_HEIGHT = 720

_SCRIPT = """
(() => {
  const unpack = (element) => {
    const bytes = Uint8Array.from(atob(element.textContent), (one) => one.charCodeAt(0));
    const unzip = new DecompressionStream("gzip");
    return new Response(new Blob([bytes]).stream().pipeThrough(unzip)).text();
  };
  let shell = null;
  const fill = async (place) => {
    shell ??= unpack(document.getElementById("SHELL"));
    const data = await unpack(place.querySelector("script"));
    const frame = document.createElement("iframe");
    frame.title = "dynamo_lab";
    frame.style.cssText = "width: 100%; height: HEIGHTpx; border: 1px solid #8888";
    const page = (await shell).replace("HOLE", () => data);
    frame.src = URL.createObjectURL(new Blob([page], { type: "text/html" }));
    place.replaceChildren(frame);
  };
  const near = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      fill(target);
    }
  }, { rootMargin: "400px" });
  const start = () => {
    for (const place of document.querySelectorAll(".dynamo-lab-full")) near.observe(place);
  };
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", start);
  else start();
})();
"""


class FullPages(Preprocessor):
    """Replaces the script-free copies of a notebook by full pages.

    With `jupyter nbconvert --to notebook` it writes a notebook for viewers that run the scripts in
    outputs, as nbviewer does.
    """

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Replace them; an output whose recording is lost or damaged stays as it is."""
        folder = Path(resources.get("metadata", {}).get("path") or ".")
        is_first = True
        for output in _outputs(nb):
            if kept.MIME not in output.get("data", {}):
                continue
            try:
                recordings = kept.unpacked(output["data"][kept.MIME], folder=folder)
            except DynamoLabError as error:
                self.log.warning("dynamo_lab: %s", error)
                continue
            [only, *others] = recordings.values()
            view = together(recordings) if others else build(only)
            copy = Markup(output["data"].get("text/html", ""))
            output["data"]["text/html"] = _place(data_of(view), copy, is_first)
            is_first = False
        return nb, resources


class FullPageExporter(HTMLExporter):
    """HTML as nbconvert writes it, with the full page of each recording that the notebook keeps."""

    export_from_notebook = "HTML with the full pages of dynamo_lab"

    def __init__(self, config: Any = None, **kw: Any) -> None:
        super().__init__(config=config, **kw)
        self.register_preprocessor(FullPages, enabled=True)


def _outputs(notebook: Any) -> list[Any]:
    return [output for cell in notebook["cells"] for output in cell.get("outputs", [])]


def _place(data: str, copy: Markup, is_first: bool) -> str:
    """Where a page comes; until then, and without scripts, the copy. The first brings the rest."""
    place = tag("div", _packed(data), copy, class_="dynamo-lab-full")
    if not is_first:
        return str(place)
    script = _SCRIPT.replace("SHELL", _SHELL).replace("HEIGHT", str(_HEIGHT)).replace("HOLE", HOLE)
    return str(join(_packed(shell(), id=_SHELL), Markup(f"<script>{script}</script>"), place))


def _packed(text: str, **attributes: str) -> Markup:
    packed = base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode()
    return tag("script", Markup(packed), type="text/plain", **attributes)
