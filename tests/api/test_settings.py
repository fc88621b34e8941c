"""Settings of a notebook, and what Tab completes, without a kernel."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from IPython.utils.ipstruct import Struct

from dynamo_lab.api.recording import Recording
from dynamo_lab.api.settings import Settings, listen, settings_of
from dynamo_lab.api.side_by_side import SideBySide
from dynamo_lab.errors import CellError, OptionError
from dynamo_lab.model.benchmarks import Benchmark
from dynamo_lab.model.core.environment import Environment
from dynamo_lab.notebook import lab as lab_magic
from dynamo_lab.notebook.completions import complete
from dynamo_lab.notebook.parsers import Parser


def shell(**names: Any) -> Any:
    return SimpleNamespace(meta=Struct(), user_ns=names, kernel=None)


def test_what_lab_chose_holds_before_what_jupyterlab_says_and_that_before_the_defaults() -> None:
    settings = Settings()
    assert str(settings) == "theme auto, detail normal, display below"
    settings.hear({"detail": "steps", "display": "panel"})
    settings.choose(display="marks")
    assert str(settings) == "theme auto, detail steps, display marks"
    settings.hear({"detail": "normal"})
    assert str(settings) == "theme auto, detail normal, display marks"
    assert settings.looks().keeps
    settings.choose(keep="off")
    assert str(settings) == "theme auto, detail normal, display marks, keep off"
    assert not settings.looks().keeps


@pytest.mark.parametrize(
    "told", [None, [], "steps", {"detail": ["steps"]}, {"detail": "everything"}, {"other": "x"}]
)
def test_what_cannot_be_understood_is_passed_over(told: Any) -> None:
    settings = Settings()
    settings.hear(told)
    assert str(settings) == "theme auto, detail normal, display below"


def test_a_wrong_choice_is_refused_with_what_there_is() -> None:
    with pytest.raises(OptionError, match="use one of auto, light, dark"):
        Settings().choose(theme="pink")
    with pytest.raises(OptionError, match="There is no setting 'font'"):
        Settings().choose(font="large")


def test_a_recording_that_is_asked_for_is_never_shown_by_marks_alone() -> None:
    settings = Settings()
    settings.choose(display="marks", theme="dark")
    assert (settings.looks().place, settings.looks().theme) == ("marks", "dark")
    assert settings.looks_on_demand().place == "below"
    settings.choose(display="panel")
    assert settings.looks_on_demand().place == "panel"


def test_each_shell_keeps_its_own_settings_and_nobody_has_the_defaults() -> None:
    one, other = shell(), shell()
    settings_of(one).choose(theme="dark")
    assert settings_of(one)["theme"] == "dark"
    assert settings_of(other)["theme"] == settings_of(None)["theme"] == "auto"


def test_the_kernel_hears_jupyterlabs_settings_and_answers_nothing() -> None:
    targets: dict[str, Any] = {}
    here = shell()
    listen(here)  # where there is no kernel, there is nobody to hear
    register: Any = targets.__setitem__
    here.kernel = SimpleNamespace(comm_manager=SimpleNamespace(register_target=register))
    listen(here)
    silent = SimpleNamespace()  # what it said, every page with this notebook would hear
    targets["dynamo_lab"](silent, {"content": {"data": {"detail": "steps"}}})
    assert settings_of(here)["detail"] == "steps"
    targets["dynamo_lab"](silent, {})
    assert settings_of(here)["detail"] == "normal"


def made(title: str, created: str = "") -> Recording:
    return Recording(title=title, environment=Environment(created=created))


def lab(line: str, here: Any) -> None:
    lab_magic.run(lab_magic.parser().parse_args(line.split()), here)


def test_lab_shows_what_was_recorded_last(capsys: pytest.CaptureFixture[str]) -> None:
    old = made("old")
    here = shell(new=made("new"), old=old, number=3)
    lab("", here)
    assert "The last recording: new." in capsys.readouterr().out
    settings_of(here).last = made("cell 9")
    lab("", here)
    assert "The last recording: cell 9." in capsys.readouterr().out
    lab("old", here)
    assert "old: old." in capsys.readouterr().out


def test_what_was_opened_last_is_last_whatever_its_date(
    capsys: pytest.CaptureFixture[str],
) -> None:
    here = shell()
    settings_of(here).last = made("cell 9", "2026-11-21 18:00")
    here.user_ns["trace"] = made("a log of long ago", "11-21 17:24")
    lab("", here)
    assert "The last recording: a log of long ago." in capsys.readouterr().out
    timed = here.user_ns["trace"].with_benchmark(Benchmark(title="f"))
    here.user_ns.update(ways=SideBySide({"a": made("one"), "b": timed}), one=made("another"))
    lab("", here)
    assert "The last recording: another." in capsys.readouterr().out


def test_several_side_by_side_are_shown_with_their_switch(
    capsys: pytest.CaptureFixture[str],
) -> None:
    several = SideBySide({"cpu": made("f"), "cuda:sm_90": made("f")})
    here = shell(several=several)
    for line, said in ("several", "several: cpu, cuda:sm_90."), ("", "The last recording: cpu,"):
        lab(line, here)
        told = capsys.readouterr().out
        assert told.startswith(said)
        assert str(several).strip() in told


def test_lab_says_what_it_lacks_and_what_it_set(capsys: pytest.CaptureFixture[str]) -> None:
    here = shell(number=3)
    with pytest.raises(CellError, match="Nothing is recorded in this notebook yet"):
        lab("", here)
    with pytest.raises(CellError, match="There is no recording 'number'"):
        lab("number", here)
    with pytest.raises(CellError, match="invalid choice: 'pink'"):
        lab("--theme pink", here)
    lab("--theme dark --detail steps", here)
    said = "dynamo_lab in this notebook: theme dark, detail steps, display below.\n"
    assert capsys.readouterr().out == said


def parser() -> Parser:
    found = Parser(prog="%%x", add_help=False)
    found.add_argument("recording", nargs="?")
    found.add_argument("--mode")
    found.add_argument("--theme", choices=("light", "dark"))
    found.add_argument("--quiet", action="store_true")
    found.add_argument("--html")
    return found


@pytest.mark.parametrize(
    ("text", "fragment", "found"),
    [
        ("%%x --", "--", ["--mode", "--theme", "--quiet", "--html"]),
        ("  %%x --quiet --m", "--m", ["--mode"]),
        ("%x --quiet --q", "--q", []),
        ("%%x --mode ", "", ["fast", "faster:2"]),
        ("%%x --mode faster:", "faster:", ["faster:2"]),
        ("%%x --mode=fas", "fas", ["fast", "faster:2"]),
        ("%%x --theme d", "d", ["dark"]),
        ("%%x --html ", "", []),
        ("%%x ", "", ["rec", "--mode", "--theme", "--quiet", "--html"]),
        ("%%x --theme dark r", "r", ["rec"]),
        ("%%x rec ", "", ["--mode", "--theme", "--quiet", "--html"]),
        ("%%y --", "", []),
        ("x --", "", []),
        ("%%x", "", []),
    ],
)
def test_tab_completes_options_and_their_values(text: str, fragment: str, found: list[str]) -> None:
    values = {"mode": lambda: ["fast", "faster:2"], "recording": lambda: ["rec"]}
    assert complete(text, {"x": parser()}, values) == (fragment, found)
