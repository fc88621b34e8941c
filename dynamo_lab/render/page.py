"""One offline page: the built front-end, the view as data, and text for browsers without scripts.

The page fetches nothing and runs only what was written into it, a script and the loader that
unpacks it: its content security policy allows only these two, by their hashes.
"""

import base64
import gzip
import hashlib
import re
from importlib.resources import files
from typing import NamedTuple

from dynamo_lab.errors import DynamoLabError
from dynamo_lab.model.core.codec import as_json
from dynamo_lab.render.fallback.compare.side_by_side import fallback_of_several
from dynamo_lab.render.fallback.page import fallback
from dynamo_lab.render.large import beginning, fitted, fitted_together, rest
from dynamo_lab.render.markup import Markup, join, tag
from dynamo_lab.render.text import shortened
from dynamo_lab.view import View
from dynamo_lab.view.compare.side_by_side import SideBySideView

_ASSETS = files("dynamo_lab") / "render" / "assets"
_NOSCRIPT_BYTES = 60_000
_ZIP = "gzip-base64"
_DATA, _FIRST = "dynamo-lab-data", "dynamo-lab-first"
HOLE = "<hr data-dynamo-lab>"
_QUICK = 7  # of 50,000 nodes, a page 2% larger in a third of the time
_POLICY = (
    "default-src 'none'; script-src {hashes} 'wasm-unsafe-eval'; "
    "style-src 'unsafe-inline'; img-src data: blob:; worker-src blob:; font-src data:; "
    "base-uri 'none'; form-action 'none'"
)


class _Data(NamedTuple):
    """The blocks that hold a view: those to show at once, and those that may come after that."""

    first: Markup
    rest: Markup = Markup("")


def page(view: View) -> str:
    """The interactive page of a view, complete in one string.

    Raises:
        DynamoLabError: the front-end has not been built.
    """
    view, data = _fitted(view)
    return _page(data, view.summary.title, fallback(view, limit=_NOSCRIPT_BYTES))


def page_of_several(view: SideBySideView) -> str:
    """The interactive page of several recordings, with a switch between them.

    Raises:
        DynamoLabError: the front-end has not been built.
    """
    title = f"{view.views[0].summary.title}: {', '.join(view.labels)}"
    return _page(_several(view), title, fallback_of_several(view, limit=_NOSCRIPT_BYTES))


def shell() -> str:
    """A page of nothing: with the `data_of` a view in place of `HOLE` it is that view's page.

    Raises:
        DynamoLabError: the front-end has not been built.
    """
    return _page(_Data(Markup(HOLE)), "recording", "")


def data_of(view: View | SideBySideView) -> str:
    """What a page has of its view."""
    return join(*(_fitted(view)[1] if isinstance(view, View) else _several(view)))


def _fitted(view: View) -> tuple[View, _Data]:
    """The view as far as a page holds it, and its data: of a large one the answer comes first."""
    view, packed = fitted(view)
    first = beginning(view, len(packed))
    if first is None:
        return view, _whole(packed)
    later = list(rest(view))
    names = " ".join(name for name, _ in later)
    blocks = (_json(content, id=f"{_DATA}-{name}") for name, content in later)
    return view, _Data(_json(as_json(first), id=_FIRST, data_later=names), join(*blocks))


def _several(view: SideBySideView) -> _Data:
    return _whole(fitted_together(view))


def _whole(packed: bytes) -> _Data:
    return _Data(_json(packed, id=_DATA))


def _page(data: _Data, title: str, without_script: str) -> str:
    """The page of a view: what comes below the loader is read while the page already runs."""
    loader, script = safe_script(_asset("loader.js")), _asset("page.js")
    policy = _POLICY.format(hashes=f"{_hash(loader)} {_hash(script)}")
    head = join(
        tag("meta", charset="utf-8"),
        # The policy comes first, so that it applies to everything after it.
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{policy}">'),
        tag("meta", name_="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name_="color-scheme", content="light dark"),
        tag("title", f"{shortened(title, 80)} · dynamo_lab"),
        Markup(f"<style>{_safe_style(_asset('style.css'))}</style>"),
    )
    body = join(
        tag("div", id="dynamo-lab"),
        tag("noscript", Markup(without_script)),
        data.first,
        _block("text/plain", _packed(script.encode()), id="dynamo-lab-script", data_encoding=_ZIP),
        Markup(f"<script>{loader}</script>"),
        data.rest,
        _block("text/plain", safe_script(_asset("layout-worker.js")), id="dynamo-lab-worker"),
    )
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>{body}</body></html>\n'


def _asset(name: str) -> str:
    try:
        return (_ASSETS / name).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise DynamoLabError(
            f"The page cannot be written because the built front-end lacks {name}: run "
            "`npm ci && npm run build` in dynamo_lab/frontend, or install a release."
        ) from None


def safe_script(code: str) -> str:
    r"""The script, escaped so that it cannot end its element early.

    `</script` and `<!--` can occur only in strings and regular expressions, where `\x3c` means
    the same as `<`.
    """
    normal = code.replace("\r\n", "\n").replace("\r", "\n")  # as the HTML parser reads it
    return re.sub(r"<(?=/script|!--|script)", r"\\x3c", normal, flags=re.IGNORECASE)


def _safe_style(style: str) -> str:
    return re.sub(r"</(?=style)", r"<\\/", style, flags=re.IGNORECASE)


def _hash(script: str) -> str:
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def _json(content: bytes, **attributes: str) -> Markup:
    return _block("application/json", _packed(content, _QUICK), **attributes, data_encoding=_ZIP)


def _packed(content: bytes, level: int = 9) -> str:
    return base64.b64encode(gzip.compress(content, level, mtime=0)).decode()


def _block(kind: str, content: str, **attributes: str) -> Markup:
    return tag("script", Markup(content), type=kind, **attributes)
