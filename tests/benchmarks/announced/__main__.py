"""`python -m tests.benchmarks.announced`: write the table of announced figures where it is."""

from tests.benchmarks.announced.table import LESSON, PAGE, lesson_written, table, written


def main() -> None:
    """Print the table, and put it into the page and the lesson."""
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), table()), encoding="utf-8")
    LESSON.write_text(lesson_written(LESSON.read_text(encoding="utf-8")), encoding="utf-8")
    print(table())


if __name__ == "__main__":
    main()
