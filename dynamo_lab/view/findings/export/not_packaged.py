"""What was exported could not be packaged: AOTInductor says why."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from dynamo_lab.model.packages import PackageFailure
from dynamo_lab.view.breaks.exceptions import cause
from dynamo_lab.view.core.places import entity_if_known
from dynamo_lab.view.core.words import first_line, gist
from dynamo_lab.view.findings.finding import Evidence, Facts, Finding, Found, Grade

_COMPILER = re.compile(
    r"No working C\+\+ compiler found in torch\._inductor\.config\.cpp\.cxx: (.+)"
)
_TEXT = re.compile(
    r"AssertionError: (?:Unexpected output types: .*?full result: )?\[.*?(?<=, )'([^'\n]*)'\]",
    re.DOTALL,
)
"""Since PyTorch 2.14 the types that are no outputs are said before the outputs."""
_CALL = "torch._inductor.aoti_compile_and_package(exported"


class _Told(NamedTuple):
    """The cause, and what to do."""

    sentence: str
    remedy: str
    code: str = ""
    grade: Grade = "fill in"


def find(facts: Facts) -> Iterator[Found]:
    """Each package that was not made, the same error at one line once."""
    failed = facts.recording.package_failures
    for one in {(one.error, one.message, one.span): one for one in failed}.values():
        at = one.at if one.at is not None else one.span
        line = None if at is None else facts.places.line_of(at)
        shown = entity_if_known(line)
        told = _known(one) or _unknown(one)
        finding = Finding(
            rule="not-packaged",
            question="export",
            sentence=told.sentence,
            where=facts.places.where(line) if line else "",
            entity=shown,
            evidence=(Evidence(text=gist(one.message) or one.error, tab="", entity=shown),),
            grade=told.grade,
            remedy=told.remedy,
            code=told.code,
            cost=1.0,
        )
        yield Found(finding, line=line)


def _known(one: PackageFailure) -> _Told | None:
    asked = _of_the_call(one)
    return asked or _of_the_settings(one)


def _of_the_call(one: PackageFailure) -> _Told | None:
    """What the call was given, or where it was to write."""
    if "Only ExportedProgram is supported" in one.message:
        return _Told(
            f"A package is made of an exported program, and this is of class `{one.given}`.",
            "Export it first.",
            f"exported = torch.export.export(model, args)\n{_CALL}, package_path=...)",
        )
    if "Expect package path to be a file ending in .pt2" in one.message:
        stem = one.path.rpartition(".")[0] or one.path
        return _Told(
            f"The package's path has to end in `.pt2`, and `{one.path}` does not.",
            "Give it that ending.",
            f'{_CALL}, package_path="{stem}.pt2")',
        )
    if re.match(r"Parent directory .+ does not exist", one.message):
        return _Told(
            f"The folder that `{one.path}` was to be written to does not exist.",
            "Create it before: all was compiled by then.",
            "os.makedirs(os.path.dirname(package_path), exist_ok=True)",
        )
    if "exported_program.example_inputs is required" in one.message:
        return _Told(
            "The exported program has no example inputs, and AOTInductor compiles with them.",
            "Set them to the arguments that it was exported with: a pair of a tuple and a dict.",
            "exported.example_inputs = (args, kwargs)",
        )
    return None


def _of_the_settings(one: PackageFailure) -> _Told | None:
    """What `inductor_configs` names, and what there is."""
    if one.setting:
        near = f" Did you mean `{one.near}`?" if one.near else ""
        return _Told(
            f"Inductor has no setting `{one.setting}`.",
            f"`inductor_configs` takes names of `torch._inductor.config`.{near}",
            f'inductor_configs={{"{one.near}": ...}}' if one.near else "",
            "fill in" if one.near else "none",
        )
    if "setting the aot_inductor.output_path config" in one.message:
        return _Told(
            "The setting `aot_inductor.output_path` is not for packages.",
            "Leave it out: `package_path` says where the package goes.",
        )
    compiler = _COMPILER.search(first_line(one.message))
    if compiler:
        return _Told(
            f"None of the C++ compilers that were named works: {compiler[1]}.",
            "Name one that is installed, in the setting `cpp.cxx` or in the environment variable "
            "CXX; without either it is g++, on macOS clang++. `dynamo-lab doctor` says whether one "
            "works.",
            'inductor_configs={"cpp.cxx": (None, "g++")}',
        )
    text = _TEXT.match(cause(one.error, one.message)) or _TEXT.search(one.message)
    if text:
        return _Told(
            f"The program returns the text {text[1]!r}, and a package returns tensors and numbers.",
            "Return it beside the model's result, in Python.",
        )
    return None


def _unknown(one: PackageFailure) -> _Told:
    """In PyTorch's words, with the operator if there is one."""
    about = f" while it compiled `{one.operator}`" if one.operator else ""
    return _Told(
        f"AOTInductor stopped{about}: {cause(one.error, one.message).rstrip('.')}."
        if one.stage == "compile"
        else f"The package was not written: {cause(one.error, one.message).rstrip('.')}.",
        "No remedy is known here. If the same function compiles under `torch.compile`, it is "
        "packaging that lacks it.",
        grade="none",
    )
