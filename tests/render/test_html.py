import base64
import gzip
import hashlib
import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from dynamo_lab.errors import DynamoLabError
from dynamo_lab.model.recording import Recording
from dynamo_lab.render import page as html
from dynamo_lab.view import View, build

Make = Callable[[str], Recording]
SCRIPT = 'const s = "</script>";'
DATA = ' type="application/json" id="dynamo-lab-data" data-encoding="gzip-base64"'
PACKED = ' type="text/plain" id="dynamo-lab-script" data-encoding="gzip-base64"'


@pytest.fixture
def bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A front-end with everything that could end its element early."""
    (tmp_path / "loader.js").write_text('const s = "</script><!--"; "é";\r\n', encoding="utf-8")
    (tmp_path / "page.js").write_text(SCRIPT, encoding="utf-8")
    (tmp_path / "layout-worker.js").write_text("w = '</SCRIPT>';", encoding="utf-8")
    (tmp_path / "style.css").write_text(".a::after{content:'</style>'}", encoding="utf-8")
    monkeypatch.setattr(html, "_ASSETS", tmp_path)
    return tmp_path


def scripts(page: str) -> list[tuple[str, str]]:
    """Attributes and content of each script element, as an HTML parser cuts them."""
    return re.findall(r"<script([^>]*)>(.*?)</script", page, re.DOTALL | re.IGNORECASE)


def unpacked(text: str) -> bytes:
    """What lies compressed in a script element, as text that ends nothing."""
    assert re.fullmatch(r"[A-Za-z0-9+/=]+", text)
    return gzip.decompress(base64.b64decode(text))


@pytest.mark.usefixtures("bundle")
def test_the_policy_allows_exactly_the_script_and_its_loader(make: Make) -> None:
    page = html.page(build(make("hostile")))
    ((_, loader),) = [found for found in scripts(page) if not found[0]]
    script = unpacked(dict(scripts(page))[PACKED]).decode()
    digests = [hashlib.sha256(code.encode()).digest() for code in (loader, script)]
    first, second = [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests]
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert policy[1] == (
        f"default-src 'none'; script-src {first} {second} 'wasm-unsafe-eval'; "
        "style-src 'unsafe-inline'; img-src data: blob:; worker-src blob:; font-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    assert loader == 'const s = "\\x3c/script>\\x3c!--"; "é";\n'
    assert script == SCRIPT


@pytest.mark.usefixtures("bundle")
def test_the_data_is_the_whole_view(make: Make) -> None:
    view = build(make("hostile"))
    data = dict(scripts(html.page(view)))[DATA]
    assert msgspec.json.decode(unpacked(data), type=View) == view


@pytest.mark.usefixtures("bundle")
def test_nothing_ends_its_element_early(make: Make) -> None:
    page = html.page(build(make("hostile")))
    assert len(scripts(page)) == page.lower().count("<script") == 4
    assert page.lower().count("</script") == 4
    assert page.count("</style") == 2  # the page's and the fallback's
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


def test_half_a_surrogate_pair_is_a_question_mark(make: Make) -> None:
    view = build(replace(make("branch_and_print"), title="a\ud800b"))
    data = dict(scripts(html.page(view)))[DATA]
    assert b'"title":"a?b"' in unpacked(data)
