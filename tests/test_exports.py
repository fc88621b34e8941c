"""What other tools are given is what their formats ask for, and holds what was recorded."""

from __future__ import annotations

import gzip
import json
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from dynamo_lab.__main__ import main
from dynamo_lab.errors import ExportError, OptionError, OutputError
from dynamo_lab.model.core import codec
from dynamo_lab.model.recording import Recording
from dynamo_lab.model.timings import Timing
from dynamo_lab.render.export.formats import export
from tests.view import samples

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

replace = msgspec.structs.replace


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def exported(recording: Recording, folder: Path, format: str) -> Any:
    return read(export(recording, folder / "made.json", format)[0])


class Span(msgspec.Struct):
    name: str
    start: float
    end: float
    inside: tuple[str, ...]
    args: dict[str, Any]


def spans(trace: dict[str, Any]) -> dict[tuple[int, int], list[Span]]:
    """The slices of each thread; every end has its begin, and time never goes back."""
    found: dict[tuple[int, int], list[Span]] = {}
    opened: dict[tuple[int, int], list[Span]] = {}
    clock: dict[tuple[int, int], float] = {}
    named: dict[str, set[tuple[int, int]]] = {"process_name": set(), "thread_name": set()}
    for event in trace["traceEvents"]:
        assert isinstance(event["pid"], int)
        assert isinstance(event["tid"], int)
        where = event["pid"], event["tid"]
        if event["ph"] == "M":
            if event["name"] in named:
                assert event["args"]["name"]
                named[event["name"]].add(where)
            continue
        assert event["ts"] >= clock.get(where, 0.0)
        clock[where] = event["ts"]
        stack = opened.setdefault(where, [])
        if event["ph"] == "B":
            names = tuple(one.name for one in stack)
            made = Span(event["name"], event["ts"], -1.0, names, event["args"])
            found.setdefault(where, []).append(made)
            stack.append(made)
        else:
            assert event["ph"] == "E"
            stack.pop().end = event["ts"]
    assert not any(opened.values())
    assert set(found) <= named["thread_name"]
    assert {(pid, 0) for pid, _ in found} <= named["process_name"]
    return found


class TestPerfetto:
    def test_phases_nest_and_name_the_line(self, sample: Recording, tmp_path: Path) -> None:
        timings = (
            Timing("dynamo", 0.0, 1.0, -1, "0/0"),
            Timing("backend_compile", 0.25, 0.5, 0, "0/0"),
            Timing("compile_file", 0.3, 2.0, -1, "", 1),
        )
        trace = exported(replace(sample, timings=timings), tmp_path, "perfetto")
        found = spans(trace)
        main_thread, worker = found[1, 1], found[1, 2]
        assert [one.name for one in main_thread] == ["dynamo", "backend_compile"]
        assert main_thread[1].inside == ("dynamo",)
        assert (main_thread[1].start, main_thread[1].end) == (250_000, 750_000)
        assert main_thread[0].args["line"] == "cell 3, line 1"
        assert main_thread[0].args["compile id"] == "0/0"
        assert main_thread[0].args["code"] == "def step(x):"
        assert worker[0].inside == ()
        assert worker[0].args["what it does"]

    @pytest.mark.parametrize(
        ("timings", "lanes"),
        [
            ([(0.0, 1.0), (0.999_95, 1.0)], 1),  # by the clock's steps
            ([(0.0, 1.0), (0.5, 0.500_05)], 1),
            ([(0.0, 1.0), (0.5, 1.0)], 2),  # truly beside one another
            ([(0.0, 1.0), (1.0, 1.0), (1.0, 0.5)], 1),
            ([(0.5, 0.0), (0.5, 0.0)], 1),
        ],
    )
    def test_what_does_not_nest_has_a_track_of_its_own(
        self, timings: Sequence[tuple[float, float]], lanes: int, tmp_path: Path
    ) -> None:
        made = tuple(Timing(f"phase {n}", *times) for n, times in enumerate(timings))
        found = spans(exported(Recording(title="t", timings=made), tmp_path, "perfetto"))
        assert len(found) == lanes
        assert sum(len(slices) for slices in found.values()) == len(timings)
        for slices in found.values():
            for one, following in pairwise(slices):
                assert following.start >= one.end or following.end <= one.end

    @pytest.mark.parametrize("wild", [1e308, float("inf"), float("nan"), -1e308])
    def test_a_damaged_time_is_drawn_as_well(self, wild: float, tmp_path: Path) -> None:
        timings = (
            Timing("phase", 0.0, wild),
            Timing("late", wild, wild, -1, "", 1),
            Timing("sound", 0.5, 1.0, -1, "", 2),
        )
        measured = samples.measured()
        assert measured.benchmark is not None
        kernels = tuple(replace(one, warm=(wild,), cold=()) for one in measured.benchmark.kernels)
        benchmark = replace(measured.benchmark, kernels=kernels)
        recording = replace(measured, timings=timings, benchmark=benchmark)
        tracks = spans(exported(recording, tmp_path, "perfetto")).values()
        found = [one for slices in tracks for one in slices]
        assert {"phase", "late", "sound"} < {one.name for one in found}
        assert all(0 <= one.start <= one.end <= 2**63 / 1000 for one in found)
        sound = next(one for one in found if one.name == "sound")
        assert (sound.start, sound.end) == (500_000, 1_500_000)

    def test_kernels_follow_one_another_in_a_call(self, tmp_path: Path) -> None:
        recording = samples.measured()
        found = spans(exported(recording, tmp_path, "perfetto"))
        assert recording.benchmark is not None
        by_name = {kernel.name for kernel in recording.kernels}
        for slices in found.values():
            whole, *kernels = slices
            assert whole.name in ("one call", "one training step")
            assert {one.name for one in kernels} <= by_name
            assert all(one.inside == (whole.name,) for one in kernels)
            assert all(a.end == b.start for a, b in pairwise(kernels))
        lines = [one.args.get("line", "") for slices in found.values() for one in slices[1:]]
        assert any("line" in line for line in lines)


class TestModelExplorer:
    def test_graphs_have_what_its_data_classes_ask_for(self, tmp_path: Path) -> None:
        recording = samples.nested()
        made = exported(recording, tmp_path, "model-explorer")
        assert made["label"] == recording.title
        assert len({graph["id"] for graph in made["graphs"]}) == len(recording.graphs)
        for graph, fact in zip(made["graphs"], recording.graphs, strict=True):
            ids = [node["id"] for node in graph["nodes"]]
            assert len(set(ids)) == len(ids) == len(fact.nodes)
            for node, one in zip(graph["nodes"], fact.nodes, strict=True):
                assert [edge["sourceNodeId"] for edge in node["incomingEdges"]] == [
                    ids[source] for source in one.inputs
                ]
                assert set(node["subgraphIds"]) <= {graph["id"] for graph in made["graphs"]}
                assert all(isinstance(item["value"], str) for item in node["attrs"])
            namespaces = {node["namespace"] for node in graph["nodes"]}
            assert namespaces <= set(graph["groupNodeAttributes"])

    def test_modules_are_namespaces(self, tmp_path: Path) -> None:
        made = exported(samples.big(), tmp_path, "model-explorer")
        namespaces = {node["namespace"] for graph in made["graphs"] for node in graph["nodes"]}
        assert any("/" in namespace for namespace in namespaces)

    def test_a_node_tells_type_shape_and_line(self, sample: Recording, tmp_path: Path) -> None:
        made = exported(sample, tmp_path, "model-explorer")
        node = made["graphs"][0]["nodes"][1]
        told = {item["key"]: item["value"] for item in node["attrs"]}
        assert node["label"] == "relu"
        assert told["dtype"] == "float32"
        assert told["shape"] == "8"
        assert told["line"] == "cell 3, line 2"
        assert told["code"] == "y = torch.relu(x) + 1"
        assert node["outputsMetadata"][0]["attrs"] == [
            {"key": "tensor_shape", "value": "float32[8]"}
        ]

    def test_data_names_nodes_of_its_graphs(self, tmp_path: Path) -> None:
        paths = export(samples.measured(), tmp_path / "run.json", "model-explorer")
        assert [path.name for path in paths] == ["run.json", "run.bytes.json", "run.times.json"]
        graphs = {graph["id"]: graph for graph in read(paths[0])["graphs"]}
        for path in paths[1:]:
            for graph, data in read(path).items():
                ids = {node["id"] for node in graphs[graph]["nodes"]}
                assert data["results"].keys() <= ids
                assert all(result["value"] >= 0 for result in data["results"].values())
        assert all(
            data["hideAggregatedStats"] == ["sum", "avg"] for data in read(paths[2]).values()
        )

    def test_nodes_of_one_name_and_slashes_in_names(
        self, sample: Recording, tmp_path: Path
    ) -> None:
        graph = sample.graphs[0]
        strings = (*graph.nodes.strings[:-1], "a/b.c")
        nodes = replace(graph.nodes, name=("x", "x", "x", "x"), strings=strings)
        odd = replace(sample, graphs=(replace(graph, nodes=nodes), *sample.graphs[1:]))
        made = exported(odd, tmp_path, "model-explorer")["graphs"][0]
        assert len({node["id"] for node in made["nodes"]}) == 4
        assert {node["namespace"] for node in made["nodes"]} == {"a_b/c"}


class TestTritonparse:
    def test_a_line_for_each_kernel(self, tmp_path: Path) -> None:
        recording = samples.assembled()
        (path,) = export(recording, tmp_path / "kernels.ndjson", "tritonparse")
        (line,) = path.read_text().splitlines()
        event = json.loads(line)
        payload = event["payload"]
        assert event["event_type"] == "compilation"
        assert isinstance(event["pid"], int)
        assert payload["metadata"]["name"] == "triton_poi_fused_add_gelu_0"
        assert payload["metadata"]["num_warps"] == 4
        assert payload["metadata"]["backend_name"] == "cuda"
        assert payload["python_source"]["code"] == recording.kernels[0].code
        assert set(payload["file_content"]) == {
            "triton_poi_fused_add_gelu_0.ttir",
            "triton_poi_fused_add_gelu_0.ptx",
        }

    def test_lines_are_tied_as_each_level_ties_them(self, tmp_path: Path) -> None:
        (path,) = export(samples.assembled(), tmp_path / "kernels.ndjson", "tritonparse")
        content = json.loads(path.read_text())["payload"]["file_content"]
        ttir = content["triton_poi_fused_add_gelu_0.ttir"]
        defined = dict(re.findall(r'(#loc\d) = loc\("[\w.]+":(\d+):0\)', ttir))
        assert defined == {"#loc1": "4", "#loc2": "5"}
        assert "%1 = math.erf %0 loc(#loc2)" in ttir
        ptx = content["triton_poi_fused_add_gelu_0.ptx"].split("\n")
        at = ptx.index("add.f32 %f2, %f1, 0f3F800000;")
        assert ptx[at - 1].startswith("\t.loc\t1 6 0 // triton_poi_fused_add_gelu_0.py:6:0")


class TestWhatCannotBeExported:
    @pytest.mark.parametrize("format", ["perfetto", "model-explorer", "tritonparse"])
    def test_an_empty_recording_says_what_to_do(self, format: str, tmp_path: Path) -> None:
        with pytest.raises(ExportError, match=r"^The recording has no [^.]+: [^\n]+\.$"):
            export(Recording(title="empty"), tmp_path / "x.json", format)
        assert not list(tmp_path.iterdir())

    def test_a_format_that_there_is_not(self, sample: Recording, tmp_path: Path) -> None:
        with pytest.raises(OptionError, match="no format 'onnx': pass perfetto, model-explorer"):
            export(sample, tmp_path / "x.json", "onnx")

    @pytest.mark.parametrize("name", ["missing/x.json", "", "a\0b"])
    def test_a_file_that_cannot_be_written(
        self, sample: Recording, tmp_path: Path, name: str
    ) -> None:
        with pytest.raises(OutputError, match="cannot be written"):
            export(sample, f"{tmp_path}/{name}", "model-explorer")


def test_hostile_text_stays_text(tmp_path: Path) -> None:
    recording = replace(samples.hostile(), title="half \ud800 a pair")
    kernels = tuple(replace(kernel, language="triton") for kernel in recording.kernels)
    recording = replace(recording, kernels=kernels)
    spans(exported(recording, tmp_path, "perfetto"))
    assert exported(recording, tmp_path, "model-explorer")["label"] == "half ? a pair"
    (path,) = export(recording, tmp_path / "x.ndjson", "tritonparse")
    assert all(json.loads(line) for line in path.read_text().split("\n") if line)


def test_a_name_in_gz_is_compressed(tmp_path: Path) -> None:
    paths = export(samples.measured(), tmp_path / "run.json.gz", "model-explorer")
    assert [path.name for path in paths] == [
        "run.json.gz",
        "run.bytes.json.gz",
        "run.times.json.gz",
    ]
    assert all(json.loads(gzip.decompress(path.read_bytes())) for path in paths)


class TestCommand:
    def test_it_says_what_it_wrote_and_what_opens_it(
        self, sample: Recording, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        codec.save(sample, tmp_path / "run.json")
        out = str(tmp_path / "trace.json")
        command = ["export", str(tmp_path / "run.json"), "--format", "perfetto", "-o", out]
        assert main(command) == 0
        said = capsys.readouterr().out
        assert said.startswith(f"wrote {out}\n")
        assert "ui.perfetto.dev" in said

    def test_an_error_is_a_sentence(
        self, sample: Recording, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        codec.save(sample, tmp_path / "run.json")
        command = ["export", str(tmp_path / "run.json"), "--format", "onnx", "-o", "x"]
        assert main(command) == 2
        assert "There is no format 'onnx'" in capsys.readouterr().err
