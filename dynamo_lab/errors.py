"""Every error that this package raises, each a sentence that says what to do."""


class DynamoLabError(Exception):
    """The base of them all."""


class RecordingFileError(DynamoLabError):
    """A file that is not a recording this version can read."""


class AlreadyRecordingError(DynamoLabError):
    """A recording was started inside another."""


class CellError(DynamoLabError):
    """A cell that `%%compile` cannot run as one frame."""


class CheckFailed(DynamoLabError, AssertionError):
    """A recording that does not meet what `check` asked for."""


class OptionError(DynamoLabError, ValueError):
    """An option or argument with a value that is not offered."""


class OutputError(DynamoLabError, OSError):
    """A file that cannot be written."""


class ExportError(DynamoLabError):
    """A recording that holds nothing of what another tool's format is for."""


class GuardsError(DynamoLabError):
    """A question to guards that cannot be answered."""


class FixError(DynamoLabError):
    """A break that nothing can be tried against, or a fix that does not apply."""


class BudgetError(DynamoLabError, ValueError):
    """A memory budget that the partitioner cannot be asked about."""


class QueryError(DynamoLabError, ValueError):
    """A search that cannot be understood."""


class DrawingError(DynamoLabError):
    """A graph that cannot be drawn as asked."""


class PassError(DynamoLabError):
    """A pass of the reader's that raised."""


class LoweringError(DynamoLabError):
    """A program that cannot be lowered again."""


class FusionError(DynamoLabError, ValueError):
    """A question about a fusion that names what there is not."""


class AssemblyError(DynamoLabError):
    """A kernel that cannot be assembled here."""


class DecompositionError(DynamoLabError):
    """An operator that cannot be taken apart on these arguments, or a set that there is not."""


class PackageError(DynamoLabError):
    """A file that is no package of AOTInductor's, or one that cannot be read."""


class BenchError(DynamoLabError):
    """A benchmark cannot be made of this program."""


class CaseError(DynamoLabError, ValueError):
    """A case that there is not, or an implementation of one that cannot run."""


class SuiteError(DynamoLabError):
    """A run of the suite, or a file of its results, that cannot be used as asked."""


class EditError(DynamoLabError):
    """A kernel that cannot be edited here."""


class CourseError(DynamoLabError, ValueError):
    """An exercise, a lesson or a hint that there is not."""


class TraceError(DynamoLabError):
    """A trace log that there is not, or that cannot be read."""


class AbsentError(DynamoLabError):
    """A private name that the installed PyTorch lacks; `path` is the name."""

    def __init__(self, sentence: str, path: str = "") -> None:
        super().__init__(sentence)
        self.path = path


def printable(error: Exception) -> str:
    """An error's message as one short printable line: parts of it come from the file."""
    text = str(error) or type(error).__name__
    return "".join(c if c.isprintable() else "?" for c in text)[:200]
