"""Every error that this package raises, with messages that say what to do."""


class DynamoLabError(Exception):
    """The base of them all."""


class RecordingFileError(DynamoLabError):
    """A file that is not a recording this version can read."""


class AlreadyRecordingError(DynamoLabError):
    """A recording is started inside another."""


class CellError(DynamoLabError):
    """A cell that `%%compile` cannot run as one frame."""


class CheckFailed(DynamoLabError, AssertionError):
    """A recording that does not meet the expectations given to `check`."""


class OptionError(DynamoLabError, ValueError):
    """An option or argument with an invalid value."""


class OutputError(DynamoLabError, OSError):
    """A file that cannot be written."""


class ExportError(DynamoLabError):
    """A recording with nothing that another tool's format can hold."""


class GuardsError(DynamoLabError):
    """A question to guards that cannot be answered."""


class FixError(DynamoLabError):
    """A break with no fix to try, or a fix that does not apply."""


class BudgetError(DynamoLabError, ValueError):
    """A memory budget that the partitioner cannot evaluate."""


class QueryError(DynamoLabError, ValueError):
    """A search query that is not valid."""


class DrawingError(DynamoLabError):
    """A graph that cannot be drawn as asked."""


class PassError(DynamoLabError):
    """A pass of the user's that raised."""


class LoweringError(DynamoLabError):
    """A program that cannot be lowered again, or not for this target."""


class StoppedError(DynamoLabError):
    """Work that was ended before it gave an answer."""


class WrongProgramError(DynamoLabError):
    """A program of the compiler `lab` whose numbers are not eager's."""


class FusionError(DynamoLabError, ValueError):
    """A question about a fusion that names what does not exist."""


class JourneyError(DynamoLabError, ValueError):
    """A journey, or a link, that is asked of what a recording does not have."""


class AssemblyError(DynamoLabError):
    """A kernel that cannot be assembled here."""


class DecompositionError(DynamoLabError):
    """An operator that cannot be decomposed on these arguments, or an unknown operator set."""


class PackageError(DynamoLabError):
    """A file that is not an AOTInductor package, or one that cannot be read."""


class BenchError(DynamoLabError):
    """A benchmark cannot be made of this program."""


class BisectionError(DynamoLabError):
    """A program whose differences from eager cannot be searched."""


class CaseError(DynamoLabError, ValueError):
    """An unknown case, or an implementation of one that cannot run."""


class SuiteError(DynamoLabError):
    """A run of the suite, or a file of its results, that cannot be used as requested."""


class EditError(DynamoLabError):
    """A kernel that cannot be edited here."""


class CourseError(DynamoLabError, ValueError):
    """An unknown exercise, lesson or hint."""


class TraceError(DynamoLabError):
    """A trace log that does not exist, or that cannot be read."""


class EnvironmentsError(DynamoLabError):
    """A program cannot be recorded under another installation of PyTorch."""


class TinyError(DynamoLabError):
    """A training step that cannot be planned, or not as asked."""


class AbsentError(DynamoLabError):
    """A private name that the installed PyTorch lacks; `path` is the name."""

    def __init__(self, sentence: str, path: str = "") -> None:
        super().__init__(sentence)
        self.path = path


def printable(error: Exception) -> str:
    """An error's message as one short printable line: parts of it come from the file."""
    text = str(error) or type(error).__name__
    return "".join(c if c.isprintable() else "?" for c in text)[:200]
