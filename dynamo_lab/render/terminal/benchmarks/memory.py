"""Memory over one call in the terminal: the peaks, and what holds them."""

from collections.abc import Iterator

from rich.console import RenderableType

from dynamo_lab.render.terminal.core.parts import Page, grid, indented, line, text
from dynamo_lab.render.text import one_line
from dynamo_lab.view.benchmarks.memory_courses import CourseView, MemoryCoursesView

_BRIEF = 3
_LEVELS = " ▁▂▃▄▅▆▇█"
_WIDTH = 48


def rows(found: MemoryCoursesView, page: Page) -> Iterator[RenderableType]:
    """Each variant's course as a line of blocks, then its holders."""
    yield text("memory over one call", "bold")
    if found.sentence:
        yield indented(text(one_line(found.sentence)))
    for course in found.courses:
        yield indented(
            line(
                (f"{one_line(course.name):<14}", ""),
                (blocks(course, found.most), "cyan"),
                (f" {course.peak}", "dim"),
            )
        )
        shown = course.holders if page.everything else course.holders[:_BRIEF]
        table = [(text(one.size), text(one_line(one.operator)), text(one.where)) for one in shown]
        if table:
            yield indented(grid(("right", "left", "left"), table), 4)


def blocks(course: CourseView, most: int) -> str:
    """The course as blocks on one scale: in each column the most that was held in it."""
    columns, held, before = [0] * _WIDTH, 0, 0
    for at, count in course.points:
        column = min(_WIDTH - 1, max(0, int(at * _WIDTH)))
        for between in range(before, column + 1):  # what is held stays until the next change
            columns[between] = max(columns[between], held)
        columns[column] = max(columns[column], count)
        held, before = count, column
    top = len(_LEVELS) - 1
    return "".join(_LEVELS[min(top, -(-count * top // max(1, most)))] for count in columns)
