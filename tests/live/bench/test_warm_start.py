"""What caches do for a program compiled again, held against what PyTorch counts and builds."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch._dynamo import config as dynamo_config
from torch._dynamo import pgo
from torch._functorch._aot_autograd import autograd_cache
from torch._inductor import codecache, config
from torch._inductor.custom_graph_pass import CustomGraphPass, get_hash_for_files

import dynamo_lab as lab
from dynamo_lab.capture.graphs import layers
from dynamo_lab.capture.graphs.layers import PGO, TRITON
from dynamo_lab.errors import FixError
from dynamo_lab.view import build
from tests.findings.faults import findings_of

if TYPE_CHECKING:
    from dynamo_lab.model.timings import WarmRun

pytestmark = pytest.mark.live


def _uses(run: WarmRun) -> list[tuple[int | None, int | None, int | None]]:
    """Of PyTorch's own layers, FX graphs and AOTAutograd: profiles are asked for by job."""
    return [(one.hits, one.misses, one.bypasses) for one in run.layers if one.layer != PGO]


def _profile(run: WarmRun) -> tuple[int | None, int | None, int | None]:
    [one] = [layer for layer in run.layers if layer.layer == PGO]
    return one.hits, one.misses, one.bypasses


def _scaled(x: torch.Tensor) -> torch.Tensor:
    return (x * 5.25).sin().sum()


@pytest.mark.slow
def test_a_warm_start_finds_what_a_cold_one_kept() -> None:
    recording = lab.explore(_scaled, torch.ones(16))
    folder = os.environ.get("TORCHINDUCTOR_CACHE_DIR")
    manager = torch.compiler._cache.CacheArtifactManager
    held = manager._new_cache_artifacts
    key, lines = autograd_cache.autograd_cache_key, codecache.compiled_fx_graph_hash
    again = recording.measure_warm_start()
    found = again.warm_start
    assert recording.warm_start is None
    assert found is not None
    assert _uses(found.cold) == [(0, 1, 0), (0, 1, 0)]
    assert _uses(found.warm) == [(1, 0, 0), (1, 0, 0)]
    assert {_profile(run) for run in (found.cold, found.warm)} == {(0, 0, 1)}  # no job is named
    assert found.warm.built == 0
    assert found.differing == ()
    assert found.bundle is not None
    assert _uses(found.bundle) == [(1, 0, 0), (1, 0, 0)]
    assert found.bundle.built == found.cold.built > 0  # a bundle has no built C++
    assert dict(found.kept) == {"inductor": 1, "aot_autograd": 1}
    assert found.bundle_bytes > 0
    shown = build(again).timeline.warm_start
    assert shown.is_measured
    assert "lacks 1 built kernel library" in shown.details[-1]
    [note] = [one for one in findings_of(again) if one.rule == "bundle-lacks"]
    assert note.level == "note"
    assert [one for one in findings_of(again) if one.level == "problem"] == []
    # nothing is left behind
    assert manager._new_cache_artifacts is held
    assert os.environ.get("TORCHINDUCTOR_CACHE_DIR") == folder
    assert (autograd_cache.autograd_cache_key, codecache.compiled_fx_graph_hash) == (key, lines)


class _Pass(CustomGraphPass):
    def __call__(self, graph: torch.fx.Graph) -> None:
        pass

    def uuid(self) -> Any:
        return os.urandom(8)


class _Hashed(_Pass):
    def uuid(self) -> Any:
        return get_hash_for_files((str(Path(__file__)),))


def _with(one: CustomGraphPass) -> lab.Recording:
    options = {"post_grad_custom_post_pass": one}
    return lab.explore(_scaled, torch.ones(16), options=options).measure_warm_start()


@pytest.mark.release
def test_a_miss_names_the_part_of_the_key_and_the_remedy_ends_it() -> None:
    recording = _with(_Pass())
    found = recording.warm_start
    assert found is not None
    assert _uses(found.warm)[1] == (0, 1, 0)
    assert ("FX graph cache", 1, ("post_grad_custom_post_pass",)) in found.differing
    told = [one for one in findings_of(recording) if one.level == "problem"]
    assert told[0].rule == "cache-missed"
    assert "post_grad_custom_post_pass" in told[0].sentence
    assert "get_hash_for_files" in told[0].remedy
    assert told[0].where
    mended = _with(_Hashed())
    assert not [one for one in findings_of(mended) if one.rule == "cache-missed"]
    assert mended.warm_start is not None
    assert _uses(mended.warm_start.warm) == [(1, 0, 0), (1, 0, 0)]


def test_what_is_foretold_leaves_out_what_hits_skip() -> None:
    recording = lab.explore(_scaled, torch.ones(16))
    shown = build(recording).timeline
    assert not shown.warm_start.is_measured
    assert shown.warm_start.sentence.startswith("A warm start would take at least ")
    assert "foretold" in shown.warm_start.sentence
    with config.patch(force_disable_caches=True):
        off = lab.explore(_scaled, torch.ones(16))
    assert build(off).timeline.warm_start.sentence == ""


def test_a_program_that_is_gone_cannot_be_started() -> None:
    with lab.record() as recorder:
        torch.compile(_scaled, backend="eager")(torch.ones(16))
    with pytest.raises(FixError, match="explore"):
        recorder.recording.measure_warm_start()


def _job() -> Any:
    settings: Any = torch.compiler.config
    return settings.patch(job_id="a_job")


@pytest.mark.slow
def test_profiles_of_dynamic_sizes_are_found_where_a_job_has_a_name() -> None:
    state, lookup = pgo._CODE_STATE, pgo.get_code_state
    with _job():
        found = lab.explore(_scaled, torch.ones(16)).measure_warm_start().warm_start
    assert found is not None
    assert found.bundle is not None
    assert _profile(found.cold) == (0, 1, 0)
    assert _profile(found.warm) == _profile(found.bundle) == (1, 0, 0)
    assert dict(found.kept)["pgo"] == 1
    assert pgo.get_code_state is lookup
    assert state is None or pgo._CODE_STATE is not state, "what Dynamo knew is forgotten"


@pytest.mark.slow
def test_profiles_are_bypassed_where_they_have_no_place() -> None:
    with _job(), dynamo_config.patch(automatic_dynamic_local_pgo=False):
        found = lab.explore(_scaled, torch.ones(16)).measure_warm_start().warm_start
    assert found is not None
    assert _profile(found.warm) == (0, 0, 1)
    assert found.bundle is None, "PyTorch loads no bundle with a profile that has no place"


def test_of_tritons_cache_what_was_built_is_known_and_hits_are_not(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    cache = pytest.importorskip("triton.runtime.cache")
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    for has_gpu in (False, True):
        monkeypatch.setattr(torch.cuda, "is_available", lambda there=has_gpu: there)
        with layers.watched() as gave:
            cache.get_cache_manager(f"{has_gpu:02x}" * 32).put_group("kernel.json", {})
        told = [one for one in gave() if one.layer == TRITON]
        known = [(one.hits, one.misses, one.bypasses) for one in told]
        assert known == ([(None, 1, None)] if has_gpu else [])
