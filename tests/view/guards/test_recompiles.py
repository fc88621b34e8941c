"""Why code was compiled again: what changed, what to do, and what differs between compilations."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from dynamo_lab.model.guards.guards import FailedGuard
from dynamo_lab.model.recording import Recording
from dynamo_lab.view import build
from dynamo_lab.view.guards.advice import advice_on
from dynamo_lab.view.guards.changes import (
    _kernels,  # pyright: ignore[reportPrivateUsage]
    changes,
)
from dynamo_lab.view.guards.compilations import Compilations
from dynamo_lab.view.guards.dynamic import Dynamic
from dynamo_lab.view.guards.failing import cause, describe
from dynamo_lab.view.guards.readable import readable
from dynamo_lab.view.guards.would_pass import answer

Make = Callable[[str], Recording]


def failed(text: str, source: str = "", was: str = "", now: str = "") -> FailedGuard:
    return FailedGuard(compile_id="0/0", text=text, source=source, was=was, now=now)


FAILURES = {
    "size": (
        failed("tensor 'L['x']' size mismatch at index 1. expected 8, actual 16", "L['x']",
               "8", "16"),
        "`x.shape[1]` was 8, now 16",
        "torch._dynamo.mark_dynamic(x, 1)",
    ),
    "dtype": (
        failed("tensor 'L['x']' dtype mismatch. expected Float, actual Double", "L['x']",
               "Float", "Double"),
        "`x.dtype` was torch.float32, now torch.float64",
        "x = x.to(torch.float32)",
    ),
    "requires_grad": (
        failed("tensor 'L['x']' requires_grad mismatch. expected requires_grad=0", "L['x']",
               "False", "True"),
        "`x.requires_grad` was False, now True",
        "x = x if x.requires_grad else x.detach().requires_grad_()",
    ),
    "device": (
        failed("tensor 'L['x']' dispatch key set mismatch. ...", "L['x']",
               "DispatchKeySet(CPU, BackendSelect)", "DispatchKeySet(CUDA, BackendSelect)"),
        "`x.device` was cpu, now cuda",
        "",
    ),
    "value": (
        failed("L['n'] == 3", "L['n']", "3", "4"),
        "`n` was 3, now 4",
        "n = torch.tensor(n)  # before the call",
    ),
    "type": (
        failed("___check_type_id(L['n'], 94), type=<class 'int'>", "L['n']", "of type int", "2.5"),
        "`n` was of type int, now 2.5",
        "n = torch.tensor(float(n))",
    ),
    "object": (
        failed("___check_obj_id(L['self']._modules['act'], 13), type=<class 'F'>",
               "L['self']._modules['act']", "another F", "function sigmoid"),
        "`self.act` was another F, now function sigmoid",
        "",
    ),
    "length": (
        failed("len(L['xs']) == 2", "L['xs']", "2", "3"),
        "`len(xs)` was 2, now 3",
        "xs = torch.stack(xs)\ntorch._dynamo.mark_dynamic(xs, 0)",
    ),
    "grad_mode": (
        failed("GLOBAL_STATE changed: grad_mode", "", "grad_mode on", "grad_mode off"),
        "grad mode was on, now off",
        "with torch.enable_grad():\n    compiled(...)",
    ),
    "setting": (
        failed("GLOBAL_STATE changed: default_dtype", "", "", "default_dtype torch.float64"),
        "the default dtype is torch.float64 now",
        "",
    ),
    "setting of several": (
        failed("GLOBAL_STATE changed: num_threads default_dtype", "", "",
               "num_threads 2, default_dtype torch.float32"),
        "the number of threads is 2 now; the default dtype is torch.float32 now",
        "",
    ),
    "inference of the call": (
        failed("tensor 'L['x']' dispatch key set mismatch. ...", "L['x']",
               "DispatchKeySet(CPU, BackendSelect, ADInplaceOrView, AutogradCPU)",
               "DispatchKeySet(CPU, BackendSelect, ADInplaceOrView)"),
        "the dispatch keys of a call with `x` lost AutogradCPU: `torch.inference_mode()` takes "
        "such keys from the calls under it, and from tensors made there",
        "",
    ),
    "keys": (
        failed("tensor 'L['x']' dispatch key set mismatch. ...", "L['x']",
               "DispatchKeySet(CPU, ADInplaceOrView, AutogradCPU)",
               "DispatchKeySet(CPU, Conjugate, ADInplaceOrView, AutogradCPU)"),
        "the dispatch keys of a call with `x` gained Conjugate",
        "",
    ),
    "zero_one": (
        failed("2 <= L['x'].size()[0]", "L['x'].size()[0]", "", "1"),
        "`x.shape[0]` is 1 now; this code is for 2 or more",
        "torch._dynamo.decorators.mark_unbacked(x, 0)",
    ),
    "zero_one below a limit": (
        failed("2 <= L['x'].size()[0] <= 4096", "L['x'].size()[0]", "", "1"),
        "`x.shape[0]` is 1 now; this code is for 2 to 4096",
        "torch._dynamo.decorators.mark_unbacked(x, 0)",
    ),
    "branch beyond a limit": (
        failed("2 <= L['x'].size()[0] <= 4096", "L['x'].size()[0]", "", "5000"),
        "`x.shape[0]` is 5000 now; this code is for 2 to 4096",
        "",
    ),
    "branch": (
        failed("L['x'].size()[0] == 8", "L['x'].size()[0]", "8", "16"),
        "`x.shape[0]` was 8, now 16",
        "",
    ),
    "sizes": (
        failed("L['y'].size()[0] == L['x'].size()[0]", "L['y'].size()[0]", "",
               "L['y'].size()[0] is 1, L['x'].size()[0] is 6"),
        "`y.shape[0] == x.shape[0]` no longer holds: y.shape[0] is 1, x.shape[0] is 6",
        "torch._dynamo.mark_dynamic(y, 0)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", FAILURES)
def test_each_kind_of_failure_is_told_with_its_remedy(kind: str) -> None:
    guard, words, code = FAILURES[kind]
    assert cause(guard).kind == kind.split(" ")[0]
    assert describe(guard) == words
    assert [one.code for one in advice_on(cause(guard), Dynamic())][:1] == [code] * (kind != "keys")


def test_a_failure_of_no_known_kind_is_told_as_it_is() -> None:
    guard = failed("___something(L['x'])")
    assert describe(guard) == "`___something(x)` no longer holds"
    assert advice_on(cause(guard), Dynamic()) == ()


def test_names_of_values_are_those_of_the_reader() -> None:
    assert readable("L['self']._modules['fc']._parameters['weight'].size()[0]") == (
        "self.fc.weight.shape[0]"
    )
    assert readable("L['self'].__dict__['_modules']['fc'].n") == "self.fc.n"


def test_what_the_new_code_leaves_open_is_said() -> None:
    guard, *_ = FAILURES["size"]
    closed, opened = (
        advice_on(cause(guard), new)[0] for new in (Dynamic(), Dynamic({"x.shape[1]": ()}))
    )
    assert closed.code == opened.code
    assert "is dynamic" in opened.text
    assert "is dynamic" not in closed.text


def test_causes_are_told_once_and_remedied_once(make: Make) -> None:
    first, second = build(make("sizes")).guards.recompiles
    assert [(c.text, c.earlier, c.where) for c in second.causes] == [
        ("`n` was 3, now 4", ("0/1",), "line 2"),
        ("`x.shape[0]` was 8, now 16", ("0/0",), "line 2"),
    ]
    assert first.causes[0].remedies
    assert not second.causes[1].remedies


def test_what_is_dynamic_already_is_not_advised_again(make: Make) -> None:
    recording = make("sizes")
    again = failed(
        "tensor 'L['x']' size mismatch at index 0. expected 8, actual 32", "L['x']", "8", "32"
    )
    item = replace(recording.recompiles[1], failed=(recording.recompiles[1].failed[0], again))
    told = build(replace(recording, recompiles=(recording.recompiles[0], item)))
    [remedy] = told.guards.recompiles[1].causes[1].remedies
    assert remedy.text == "Already dynamic in 0/1: see what rules that out."


def test_the_limit_says_what_runs_eagerly(make: Make) -> None:
    last = build(make("sizes")).guards.recompiles[-1]
    assert "run eagerly" in last.advice
    assert last.changes is None


def test_the_difference_of_two_compilations(make: Make) -> None:
    found = build(make("sizes")).guards.recompiles[0].changes
    assert found is not None
    assert found.symbols == ("`x.shape[0]` is dynamic now: s77",)
    assert found.graph == (
        ("~", "input x: f32[8, 3] \N{RIGHTWARDS ARROW} f32[s77, 3]"),
        ("~", "y = mul(x, 3): f32[8, 3] \N{RIGHTWARDS ARROW} f32[s77, 3]"),
        ("-", "y_1 = add(y, 1): f32[8, 3]"),
        ("-", "output y_1"),
        ("+", "output y"),
    )
    assert "cpp_fused_mul_0; 1 before: cpp_fused_add_mul_0" in found.kernels


@pytest.mark.parametrize(("before", "after"), [("0/0", "0/1"), ("0/1", "0/0")])
def test_what_no_code_came_of_has_no_constants(make: Make, before: str, after: str) -> None:
    """The graph was captured and can be compared; what is dynamic is known of code alone."""
    recording = make("sizes")
    assert _symbols_of(recording, before, after)
    frames = tuple(
        replace(
            frame,
            attempts=tuple(
                replace(one, outcome="failed" if one.compile_id == "0/0" else one.outcome)
                for one in frame.attempts
            ),
        )
        for frame in recording.frames
    )
    assert _symbols_of(replace(recording, frames=frames), before, after) == ()


def _symbols_of(recording: Recording, before: str, after: str) -> tuple[str, ...]:
    found = changes(Compilations(recording), before, after)
    assert found is not None
    assert found.graph
    return found.symbols


def test_alike_compilations_have_no_difference(make: Make) -> None:
    recording = make("sizes")
    nodes = recording.graphs[0].nodes
    graphs = (recording.graphs[0], replace(recording.graphs[1], nodes=nodes))
    kernels = tuple(replace(k, name="k", code="same") for k in recording.kernels)
    alike = replace(recording, graphs=graphs, kernels=kernels, symbols=())
    found = build(alike).guards.recompiles[0].changes
    assert found is not None
    assert (found.graph, found.summary) == ((), "the same graph")
    assert found.kernels == "1 kernel, with the same code"


def test_what_a_call_would_do(make: Make) -> None:
    guard, *_ = FAILURES["value"]
    recording = make("sizes")
    reused = answer(recording, 0, (("0/1", None), ("0/0", guard)), are_forgotten=False)
    assert reused.reuses == "0/1"
    assert reused.sentence == "It passes the guards of 0/1: a call of scale would reuse that code."
    assert [(check.passes, check.source) for check in reused.checks] == [
        (True, ""),
        (False, "L['n']"),
    ]
    assert "0/0  fails: `n` was 3, now 4  (scale.py, line 2)" in str(reused)
    assert repr(reused) == str(reused)
    again = answer(recording, 0, (("0/0", guard),), are_forgotten=True)
    assert again.reuses is None
    assert "compiled again" in again.sentence
    assert "torch._dynamo.reset()" in again.sentence


NESTED = "L['self'].state[list(dict.keys(L['self'].state))[0]]"


@pytest.mark.parametrize(
    ("guard", "words"),
    [
        (
            failed(f"len({NESTED}) != 0", NESTED, "0", "1"),
            "`len(self.state[list(dict.keys(self.state))[0]])` was 0, now 1",
        ),
        (
            failed(f"len({NESTED}) != 0", "L['self'].state", "", "class defaultdict"),
            "`len(self.state[list(dict.keys(self.state))[0]])` was 0, now another one",
        ),
        (
            failed("list(dict.keys(L['d']))[0] == 'a'", "L['d']", now="dict of 1"),
            "key 1 of `d` was 'a'",
        ),
        (
            failed("list(dict.keys(L['d']))[1] == 'a'", "L['d']", "'a'", "'b'"),
            "key 2 of `d` was 'a', now 'b'",
        ),
        (
            failed("set.__contains__(L['s'], 'a')", "L['s']", now="set of 1"),
            "`s` had 'a' in it, and now it has not",
        ),
        (failed("G['local'].scale == 2.0", "G['local'].scale", "2.0"),
         "`local.scale` was 2.0, now another value"),
        (failed("L['___stack0'] == 3.0", "L['___stack0']", "3.0", "4.0"),
         "`(left by the break)` was 3.0, now 4.0"),
        (
            failed("tensor 'L['___stack2']' size mismatch at index 0. expected 2, actual 0",
                   "L['___stack2']", "2", "0"),
            "`(left by the break, value 3).shape[0]` was 2, now 0",
        ),
        (
            failed("__check_obj_id(list(dict.keys(L['o'].state))[0], 7)", "L['o'].state"),
            "a key of `o.state` is another object",
        ),
        (failed("L['d']['what is it'] == 3", "L['d']['what is it']", "3", "5"),
         "`d['what is it']` was 3, now 5"),
        (failed("(type(L['d']) is float and __math_isnan(L['d']))", "L['d']", "", "inf"),
         "`(type(d) is float and __math_isnan(d))` no longer holds: `d` is inf"),
        (failed("expected type of 'L['x']' to be a tensor type, ' but found <class 'torch.Tensor'>",
                "L['x']"),
         "`x` was a tensor of another type, now of type torch.Tensor"),
    ],
)  # fmt: skip
def test_a_failure_is_not_told_as_another_one(guard: FailedGuard, words: str) -> None:
    assert describe(guard) == words


def test_a_relation_of_sizes_is_no_equality() -> None:
    relation = failed("L['x'].size()[0] < L['y'].size()[0]", "L['x'].size()[0]")
    assert cause(relation).kind == "branch"
    assert "share one symbol" not in advice_on(cause(relation), Dynamic())[0].text


def test_a_dict_of_another_length_is_no_list_to_stack() -> None:
    (told,) = advice_on(cause(failed("len(L['d']) != 2", "L['d']", "2", "3")), Dynamic())
    assert told.text.endswith("Pass the same keys.")
    assert not told.code


def test_a_number_after_a_break_is_not_said_to_be_passed() -> None:
    guard = failed("L['n'] == 8.0", "L['n']", "8.0", "12.0")
    (told,) = advice_on(cause(guard), Dynamic(is_resumed=True))
    assert told.text.endswith("make it a tensor where the function gets it.")
    assert not told.code
    assert advice_on(cause(guard), Dynamic())[0].code == "n = torch.tensor(n)  # before the call"


def test_a_block_for_grad_mode_is_not_said_to_undo_inference_mode() -> None:
    guard = failed("GLOBAL_STATE changed: grad_mode ", "", "grad_mode on", "grad_mode off")
    (told,) = advice_on(cause(guard), Dynamic())
    assert "`torch.inference_mode()` changes more than grad mode" in told.text


def test_one_kernel_has_one_name() -> None:
    assert _kernels({"a": "1"}, {"a": "2"}) == "1 kernel, with the same name but different code"
    both = _kernels({"a": "1", "b": "1"}, {"a": "2", "b": "1"})
    assert both == "2 kernels, with the same names but different code"
