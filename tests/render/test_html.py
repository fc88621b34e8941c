import base64
import gzip
import hashlib
import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from dynamo_lab.errors import DynamoLabError
from dynamo_lab.model.recording import Recording
from dynamo_lab.render import html
from dynamo_lab.view import View, build

Make = Callable[[str], Recording]


@pytest.fixture
def bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A front-end with everything that could end its element early."""
    (tmp_path / "page.js").write_text('const s = "</script><!--"; "é";\r\n', encoding="utf-8")
    (tmp_path / "layout-worker.js").write_text("w = '</SCRIPT>';", encoding="utf-8")
    (tmp_path / "style.css").write_text(".a::after{content:'</style>'}", encoding="utf-8")
    monkeypatch.setattr(html, "_STATIC", tmp_path)
    return tmp_path


def scripts(page: str) -> list[tuple[str, str]]:
    """Attributes and content of each script element, as an HTML parser cuts them."""
    return re.findall(r"<script([^>]*)>(.*?)</script", page, re.DOTALL | re.IGNORECASE)


@pytest.mark.usefixtures("bundle")
def test_the_policy_allows_exactly_the_inlined_script(make: Make) -> None:
    page = html.page(build(make("hostile")))
    ((_, script),) = [found for found in scripts(page) if not found[0]]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert policy[1] == (
        f"default-src 'none'; script-src 'sha256-{digest}' 'wasm-unsafe-eval'; "
        "style-src 'unsafe-inline'; img-src data: blob:; worker-src blob:; font-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    assert script == 'const s = "\\x3c/script>\\x3c!--"; "é";\n'


@pytest.mark.usefixtures("bundle")
def test_the_data_is_the_whole_view(make: Make) -> None:
    view = build(make("hostile"))
    data = dict(scripts(html.page(view)))[
        ' type="application/json" id="dynamo-lab-data" data-encoding="gzip-base64"'
    ]
    assert re.fullmatch(r"[A-Za-z0-9+/=]+", data)
    unpacked = gzip.decompress(base64.b64decode(data))
    assert msgspec.json.decode(unpacked, type=View) == view


def test_the_style_lies_packed_in_the_page(make: Make, bundle: Path) -> None:
    packed = dict(scripts(html.page(build(make("skipped")))))[
        ' type="text/css" id="dynamo-lab-style" data-encoding="gzip-base64"'
    ]
    assert gzip.decompress(base64.b64decode(packed)) == (bundle / "style.css").read_bytes()


@pytest.mark.usefixtures("bundle")
def test_nothing_ends_its_element_early(make: Make) -> None:
    page = html.page(build(make("hostile")))
    assert len(scripts(page)) == page.lower().count("<script") == 4
    assert page.lower().count("</script") == 4
    assert page.count("</style") == 1  # the fallback's: the page's is packed
    assert "w = '\\x3c/SCRIPT>';" in page


@pytest.mark.usefixtures("bundle")
def test_the_page_holds_a_mount_and_text_for_readers_without_scripts(make: Make) -> None:
    page = html.page(build(make("branch_and_print")))
    assert '<div id="dynamo-lab"></div>' in page
    assert "it broke twice" in page.split("<noscript>")[1].split("</noscript>")[0]
    assert "<title>softmax_gelu · dynamo_lab</title>" in page
    assert page.startswith("<!doctype html>")


@pytest.mark.usefixtures("bundle")
def test_the_same_view_gives_the_same_page(make: Make) -> None:
    view = build(make("branch_and_print"))
    assert html.page(view) == html.page(view)


def test_a_missing_front_end_is_one_clear_error(make: Make, bundle: Path) -> None:
    (bundle / "page.js").unlink()
    with pytest.raises(DynamoLabError, match=r"lacks page\.js: run `npm ci && npm run build`"):
        html.page(build(make("skipped")))
