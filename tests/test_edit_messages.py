"""What compilers say of an edited kernel, tied to lines of the text that was edited."""

import ast
from pathlib import Path
from types import CodeType

import pytest

from dynamo_lab.capture.kernels.diagnostics import of_cpp, of_python
from dynamo_lab.model.kernels import Diagnostic

GCC = """\
/tmp/x/cabc.main.cpp: In function 'void kernel(const float*, float*)':
/tmp/x/cabc.main.cpp:29:52: error: 'tmp22' was not declared in this scope; did you mean 'tmp2'?
   29 |     auto tmp3 = tmp0 + tmp22;
      |                        ^~~~~
      |                        tmp2
/tmp/x/cabc.main.cpp:40:9: warning: unused variable 'tmp9' [-Wunused-variable]
"""
TEMPLATE = """\
In file included from /opt/torch/include/ATen/cpu/vec/vec.h:8,
                 from /tmp/x/cabc.main.cpp:2:
/opt/torch/include/ATen/cpu/vec/vec_base.h: In instantiation of 'T maximum(T, T) [with T = bool]':
/tmp/x/cabc.main.cpp:31:14:   required from here
/opt/torch/include/ATen/cpu/vec/vec_base.h:77:3: error: static assertion failed: no such type
/opt/torch/include/ATen/cpu/vec/vec_base.h:77:3: note: 'false' evaluates to false
"""
CLANG = """\
/tmp/x/cabc.main.cpp:5:10: fatal error: 'nothing.h' file not found
    5 | #include <nothing.h>
1 error generated.
"""
LINKER = "/usr/bin/ld: /tmp/cc.o: in function `kernel': undefined reference to `helper(float)'\n"


def test_an_error_is_tied_to_its_line_of_the_edited_text() -> None:
    first, second = of_cpp(GCC, ".main.cpp", offset=1)
    assert (first.severity, first.line, first.column) == ("error", 28, 52)
    assert first.message.startswith("'tmp22' was not declared")
    assert (second.severity, second.line) == ("warning", 39)


def test_an_error_inside_a_header_is_tied_to_the_line_that_led_there() -> None:
    (only,) = of_cpp(TEMPLATE, ".main.cpp", offset=1)
    assert (only.line, only.column, only.severity) == (30, 14, "error")
    assert only.message == "static assertion failed: no such type"


def test_what_is_behind_the_text_is_tied_to_no_line() -> None:
    first, _ = of_cpp(GCC, ".main.cpp", offset=1, lines=20)
    assert first.line is None
    assert "keep its name and parameters" in first.message


def test_clang_and_the_linker_are_understood() -> None:
    assert of_cpp(CLANG, ".main.cpp") == (
        Diagnostic(severity="error", message="'nothing.h' file not found", line=5, column=10),
    )
    (missing,) = of_cpp(LINKER, ".main.cpp")
    assert missing.line is None
    assert missing.message == "undefined reference to `helper(float)'"


def test_what_is_said_twice_is_told_once_and_no_more_than_can_be_read() -> None:
    assert len(of_cpp(GCC * 2, ".main.cpp")) == 2
    many = "".join(f"a.main.cpp:{i}:1: error: no {i}\n" for i in range(1, 900))
    assert len(of_cpp(many, ".main.cpp")) == 50
    assert of_cpp("", ".main.cpp") == of_cpp("g++: no input files", ".main.cpp") == ()


def test_a_syntax_error_has_its_line_also_where_only_its_sentence_is_left() -> None:
    text = "import triton\n\ndef kernel(x):\n    y = x +\n"
    lost = RuntimeError("Failed to import /tmp/k.py\nSyntaxError: invalid syntax (k.py, line 5)")
    for error in (lost, _raised(text)):
        (told,) = of_python(error, text, offset=1)
        assert (told.line, told.message) == (4, "SyntaxError: invalid syntax")


def _raised(text: str) -> SyntaxError:
    with pytest.raises(SyntaxError) as caught:
        ast.parse(text)
    return caught.value


class _OfTriton(Exception):
    """As Triton's CompilationError: lines count from the first of the function's own source."""

    def __init__(self, src: str, node: ast.AST, error_message: str | None) -> None:
        super().__init__(f"at {src}")
        self.src, self.node, self.error_message = src, node, error_message


def test_an_error_of_triton_counts_from_the_function_and_tells_the_innermost_reason() -> None:
    source = "def kernel(x):\n    y = tl.load(x)\n    return helper(y)\n"
    text = f"import triton\n\n@triton.jit\n{source}"
    (call,) = (
        node
        for node in ast.walk(ast.parse(source))
        if getattr(node, "lineno", 0) == 3 and isinstance(node, ast.Call)
    )
    error = _OfTriton(source, call, None)
    error.__cause__ = _OfTriton("def helper(y):\n    return z\n", ast.Name("z"), "z is not defined")
    (told,) = of_python(error, text)
    assert (told.line, told.column, told.message) == (6, 12, "z is not defined")


def test_another_error_while_the_module_loads_has_the_line_of_its_file(tmp_path: Path) -> None:
    text = "x = 1\ny = missing\n"
    file = tmp_path / "kernel.py"
    file.write_text(f"\n{text}")
    with pytest.raises(NameError) as caught:
        exec(compile(file.read_text(), str(file), "exec"), {})
    (told,) = of_python(caught.value, text, offset=1)
    assert (told.line, told.message) == (2, "NameError: name 'missing' is not defined")
    assert of_python(caught.value, "another text")[0].line is None


def test_an_error_that_was_being_handled_meanwhile_is_not_the_one_told(tmp_path: Path) -> None:
    text = "y = missing\n"
    file = tmp_path / "kernel.py"
    file.write_text(text)
    with pytest.raises(NameError) as caught:
        _run_while_handling(compile(text, str(file), "exec"))
    (told,) = of_python(caught.value, text)
    assert (told.line, told.message) == (1, "NameError: name 'missing' is not defined")


def _run_while_handling(module: CodeType) -> None:
    try:
        next(iter(()))
    except StopIteration:
        exec(module, {})
