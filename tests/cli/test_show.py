"""`dynamo-lab show`: the sections, graphs and kernels asked for, what is found, and why not."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import msgspec
import pytest

from dynamo_lab.__main__ import main
from dynamo_lab.model.core.codec import save
from dynamo_lab.model.core.kept import packed
from dynamo_lab.render.fallback.page import fallback
from dynamo_lab.view import build
from dynamo_lab.view.journey.journey import TITLES
from tests.fixtures.notebooks import notebook
from tests.view.samples import scheduled, unrolled

if TYPE_CHECKING:
    from pathlib import Path

    from dynamo_lab.model.recording import Recording


class TestWhyNot:
    def test_two_operations(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        save(scheduled(), tmp_path / "run.json")
        assert main(["show", str(tmp_path / "run.json"), "--why-not", "op1", "buf2"]) == 0
        assert capsys.readouterr().out.startswith("op1 and op2 are not fused\n")

    def test_a_name_that_there_is_not(self, saved: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["show", saved, "--why-not", "op1", "op2"]) == 2
        told = capsys.readouterr().err
        assert "No verdict was recorded" in told
        assert "scheduled nothing here" in told  # the program may be of another backend


class TestFind:
    def test_nodes_in_every_graph(self, drawn: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["show", drawn, "--find", "op:*mm"]) == 0
        text = capsys.readouterr().out
        assert text.startswith("2 hits  op:*mm, in 1 graph")
        assert "mm = aten.mm.default(tangents_1)" in text

    def test_nodes_in_one_graph(self, drawn: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["show", drawn, "--graph", "1", "--find", "op:*mm"]) == 0
        assert capsys.readouterr().out.startswith("0 hits")

    def test_a_query_that_is_not_understood(
        self, drawn: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["show", drawn, "--find", "colour:red"]) == 2
        assert "There is no field `colour`: pass op, dtype" in capsys.readouterr().err

    def test_the_modules(self, drawn: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["show", drawn, "--outline", "--graph", "1"]) == 0
        assert "0 to 1  Layer  2 equal ones, each" in capsys.readouterr().out


class TestShow:
    def test_everything(self, saved: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["show", saved]) == 0
        text = capsys.readouterr().out
        assert "GB0170" in text
        assert "Kernels" in text

    def test_a_section(self, saved: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["show", saved, "--section", "breaks"]) == 0
        text = capsys.readouterr().out
        assert "GB0170" in text
        assert "Kernels" not in text

    def test_the_way_of_a_line(self, saved: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["show", saved, "--journey", "line 1"]) == 0
        text = capsys.readouterr().out
        assert all(title in text for title in TITLES.values())
        assert main(["show", saved, "--journey", "nothing of it"]) == 2
        assert "nothing of it" in capsys.readouterr().err

    def test_it_explains_if_asked(self, saved: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["show", saved, "--section", "breaks", "--explain"]) == 0
        assert "A break is where the graph had to end" in capsys.readouterr().out

    def test_a_level_of_a_kernels_assembly(
        self, assembly: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["show", assembly, "--kernel", "0", "--assembly", "ptx"]) == 0
        assert "6 │ add.f32 %f2, %f1, 0f3F800000;" in capsys.readouterr().out

    @pytest.mark.parametrize(
        ("options", "sentence"),
        [
            (["--kernel", "0", "--assembly", "x86"], "no assembly level 'x86': pass TTIR, PTX."),
            (["--kernel", "1", "--assembly", "PTX"], "has no assembly of kernel 1"),
            (["--kernel", "5", "--assembly", "PTX"], "There is no kernel 5"),
            (["--assembly", "PTX"], "pass --kernel N as well"),
        ],
    )
    def test_an_assembly_that_is_not_there(
        self, assembly: str, capsys: pytest.CaptureFixture[str], options: list[str], sentence: str
    ) -> None:
        assert main(["show", assembly, *options]) == 2
        assert sentence in capsys.readouterr().err

    def test_a_graph_and_a_kernel(self, saved: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["show", saved, "--graph", "1", "--stage", "post_grad", "--kernel", "0"]) == 0
        text = capsys.readouterr().out
        assert "arg0_1" in text
        assert "void kernel()" in text
        assert "GB0170" not in text

    def test_a_graph_is_the_captured_one_and_lists_its_stages(
        self, saved: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["show", saved, "--graph", "1"]) == 0
        text = capsys.readouterr().out
        assert "torch.relu" in text
        assert "arg0_1" not in text
        assert "graph 1 post_grad" in text

    def test_json_of_a_graph(self, saved: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["show", saved, "--graph", "1", "--stage", "post_grad", "--json"]) == 0
        (graph,) = json.loads(capsys.readouterr().out)["graphs"]
        assert (graph["id"], graph["number"]) == (1, 1)

    def test_the_width_is_kept(self, saved: str, capsys: pytest.CaptureFixture[str]) -> None:
        for width in (40, 60):
            assert main(["show", saved, "--width", str(width)]) == 0
            assert max(map(len, capsys.readouterr().out.splitlines())) <= width

    def test_json_is_for_programs(self, saved: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["show", saved, "--json", "--section", "breaks,summary"]) == 0
        assert list(json.loads(capsys.readouterr().out)) == ["breaks", "summary"]

    @pytest.mark.parametrize(
        ("arguments", "advice"),
        [
            (["--graph", "2"], "There is no graph 2: pass 1."),
            (["--graph", "0"], "There is no graph 0: pass 1."),
            (
                ["--graph", "1", "--stage", "joint"],
                "Graph 1 has no stage 'joint': pass dynamo, post_grad.",
            ),
            (["--stage", "joint"], "--stage chooses a stage of one graph: pass --graph N as well."),
            (["--kernel", "-1"], "There is no kernel -1: pass 0 to 0."),
            (["--section", "brakes"], "There is no section 'brakes': pass "),
            (["--width", "5"], "--width 5 is too narrow to read: pass 40 or more."),
            (["--width", "0"], "--width 0 is too narrow to read: pass 40 or more."),
            (["--json", "--section", "brakes"], "There is no section 'brakes' in JSON: pass "),
        ],
    )
    def test_what_is_not_there(
        self, saved: str, arguments: list[str], advice: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["show", saved, *arguments]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith(f"dynamo-lab: {advice}")
        assert err.count("\n") == 1


class TestNotebook:
    """What a saved notebook keeps is shown as a file is."""

    def test_of_the_only_cell(
        self, sample: Recording, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = notebook(tmp_path / "one.ipynb", _3=packed({"": sample}))
        assert main(["show", str(path)]) == 0
        assert "GB0170" in capsys.readouterr().out
        assert main(["html", str(path), str(tmp_path / "page.html")]) == 0
        assert "GB0170" in (tmp_path / "page.html").read_text()

    def test_of_several_cells(
        self, sample: Recording, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        bundles = {"_3": packed({"": scheduled()}), "_5": packed({"": sample})}
        path = str(notebook(tmp_path / "two.ipynb", **bundles))
        assert main(["show", path]) == 2
        told = capsys.readouterr().err
        assert told.endswith("of cells 3, 5: pass one of them as `cell=`, or --cell.\n")
        assert main(["show", path, "--cell", "4"]) == 2
        assert "not keep one recording of cell 4, but of cells 3, 5." in capsys.readouterr().err
        assert main(["show", path, "--cell", "5"]) == 0
        assert "GB0170" in capsys.readouterr().out

    def test_two_are_compared_and_one_is_checked(
        self, saved: str, sample: Recording, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        whole = msgspec.structs.replace(sample, breaks=())
        bundles = {"_3": packed({"": sample}), "_5": packed({"": whole})}
        path = str(notebook(tmp_path / "two.ipynb", **bundles))
        for arguments in ([path, path, "--cell", "3", "--cell", "5"], [saved, path, "--cell", "5"]):
            assert main(["diff", *arguments]) == 0
            assert "breaks only in a:" in capsys.readouterr().out
        assert main(["diff", path, path, "--cell", "5"]) == 0
        assert "breaks only in" not in capsys.readouterr().out
        assert main(["diff", path, path, *["--cell", "5"] * 3]) == 2
        assert "once, or twice" in capsys.readouterr().err
        assert main(["diff", saved, saved, "--cell", "5"]) == 2
        assert "has no cells: pass a notebook" in capsys.readouterr().err
        assert main(["check", path, "--cell", "5", "--breaks", "0"]) == 0
        assert main(["check", path, "--cell", "3", "--breaks", "0"]) == 1
        assert main(["atlas", "--cell", "3"]) == 2
        assert "pass --of as well" in capsys.readouterr().err

    def test_of_none(self, saved: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["show", str(notebook(tmp_path / "none.ipynb"))]) == 2
        assert "keeps no recording: run a cell" in capsys.readouterr().err
        assert main(["show", saved, "--cell", "1"]) == 2
        assert "has no cells: pass a notebook" in capsys.readouterr().err


class TestFolding:
    def test_the_first_of_repeated_blocks_and_how_often_it_comes_again(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        save(unrolled(), tmp_path / "run.json")
        assert main(["show", str(tmp_path / "run.json"), "--graph", "1", "--width", "140"]) == 0
        told = capsys.readouterr().out
        assert "… these 14 nodes 3 more times, h.0 … h.3: each reads 1 value of its own" in told
        assert "… this node 11 more times: equal but for names" in told
        assert "add_s0 = " in told
        assert "add_s1 = " not in told
        assert main(["show", str(tmp_path / "run.json"), "--graph", "1", "--unfold"]) == 0
        assert "add_s11 = " in (whole := capsys.readouterr().out)
        assert "more times" not in whole

    def test_the_script_free_copy_folds_too(self) -> None:
        copy = fallback(build(unrolled()))
        assert "these 2 nodes 11 more times: a number passed to add counts from 0 to 22" in copy
        assert "more nodes" not in copy
