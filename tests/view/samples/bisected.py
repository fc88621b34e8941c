"""A program that a decomposition makes wrong, and how that was found."""

from msgspec.structs import replace

from dynamo_lab.model.bisections import Bisection, BisectionTrial, Culprit, Difference
from dynamo_lab.model.recording import Recording

from .block import block


def bisected() -> Recording:
    """Its verdict is "bug", with a line, a kernel and a value that is no number."""
    return replace(block(), bisection=_bisection())


def _bisection() -> Bisection:
    trial = BisectionTrial(
        what="as it is",
        backend="inductor",
        outcome="wrong",
        fault="output is off by 0.0104, allowed: 1.3e-05 relative, 0.0001 absolute",
        seconds=1.5,
    )
    return Bisection(
        verdict="bug",
        phase="step",
        sentence="Output is 1.65e+05 ULP from float64 compiled, and 8.65 ULP in eager.",
        culprits=(
            Culprit(kind="stage", name="Inductor"),
            Culprit(kind="lowering", name="erf", rule="erf_rule", place="rules.py:3"),
            Culprit(kind="kernel", name="cpp_fused_0"),
            Culprit(kind="statement", name="line 9", text="auto tmp1 = tmp0.erf();"),
        ),
        graph=0,
        nodes=(1,),
        kernel=0,
        differences=(Difference(value="output", verdict="wrong", absolute=0.0104),),
        trials=(
            trial,
            replace(trial, what="without decompositions", outcome="right", fault="", seconds=0.25),
        ),
        first_bad="buf0 (erf) of cpp_fused_0",
        has_float64=True,
        remarks=("Only its vectorised C++ is wrong.",),
        unfinished="it was stopped",
        seconds=2.0,
        versions={"torch": "2.13.0"},
    )
