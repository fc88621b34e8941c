"""The logs of the running process, for the length of a recording: what `TORCH_LOGS` would print."""

import logging
import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from dynamo_lab.capture.core.patches import Patches
from dynamo_lab.capture.core.recorder import Recorder
from dynamo_lab.capture.core.undo import Undo
from dynamo_lab.capture.logs.hooks import LOGGING, TRACE_ID
from dynamo_lab.capture.logs.places import innermost
from dynamo_lab.errors import AbsentError, OptionError
from dynamo_lab.model.core.notes import Note
from dynamo_lab.model.logs import LogLevel, LogRecord, component_of, short_path

MAX_MESSAGES = 50_000
"""The most messages of a recording."""
MAX_TEXT = 4 * 1024 * 1024
"""The most characters of one message."""
MAX_TEXTS = 32 * 1024 * 1024
"""The most characters of all messages of a recording."""

_FILE = re.compile(r'File "([^"\n]{1,1000})"')
_INSTALLED = re.compile(r"(?<![\w/\\])(?:[A-Za-z]:)?[/\\]\S*?[/\\](?:site|dist)-packages[/\\]")
_LEVELS: dict[int, LogLevel] = {
    logging.DEBUG: "V", logging.INFO: "I", logging.WARNING: "W", logging.ERROR: "E",
    logging.CRITICAL: "C",
}  # fmt: skip


def parse(asked: str) -> Any:
    """What `TORCH_LOGS=asked` would set.

    Raises:
        OptionError: PyTorch knows no such log.
    """
    try:
        return LOGGING._parse_log_settings(asked)
    except AbsentError:
        return None
    except (ValueError, ImportError) as error:
        raise OptionError(
            f"logs={asked!r} is not what TORCH_LOGS takes: pass names such as "
            '"+dynamo,graph_code". `TORCH_LOGS=help python -c "import torch"` lists them.'
        ) from error


class LogProbes:
    """Turns logs on, and takes what they write; what was printed before is printed, and no more."""

    def __init__(self, recorder: Recorder, asked: str, undo: Undo) -> None:
        self._recorder = recorder
        self._asked = asked
        self._undo = undo

    def install(self, patches: Patches) -> None:
        """Add a handler to each logger that PyTorch gives one, and lower their levels."""
        state, registry = parse(self._asked), LOGGING.log_registry
        handler = _Catch(self._recorder, state)
        self._undo.add(handler.told)
        loggers = [logging.getLogger(name) for name in sorted(registry.get_log_qnames())]
        artifacts = [logging.getLogger(n) for n in sorted(registry.get_artifact_log_qnames())]
        before = _Printed([*loggers, *artifacts], set(LOGGING.log_state.artifact_names))
        for logger in loggers:
            for printing in list(logger.handlers):
                self._undo.add(printing.removeFilter, before)
                printing.addFilter(before)
            self._undo.add(logger.removeHandler, handler)
            logger.addHandler(handler)
        self._turn_on(state, artifacts)

    def _turn_on(self, state: Any, artifacts: list[logging.Logger]) -> None:
        known: set[str] = LOGGING.log_state.artifact_names
        # loggers of modules that are imported from now on look here
        self._undo.add(_restore_artifacts, known, set(known))
        known |= state.artifact_names
        for name, level in state.get_log_level_pairs():
            logger = logging.getLogger(name)
            self._undo.add(logger.setLevel, logger.level)
            logger.setLevel(min(level, logger.getEffectiveLevel()))
        for logger in artifacts:
            self._undo.add(partial(_restore, logger, logger.level, logger.propagate))
            LOGGING.configure_artifact_log(logger)


def _restore_artifacts(known: set[str], before: set[str]) -> None:
    """Also of loggers that were made meanwhile, which were turned on as they were made."""
    added = known - before
    known.clear()
    known.update(before)
    for name in LOGGING.log_registry.get_artifact_log_qnames():
        logger = logging.getLogger(name)
        if getattr(logger, "artifact_name", None) in added:
            logger.setLevel(logging.NOTSET)
            logger.propagate = True
            LOGGING.configure_artifact_log(logger)


def _restore(logger: logging.Logger, level: int, propagate: bool) -> None:
    logger.setLevel(level)
    logger.propagate = propagate


class _Printed(logging.Filter):
    """Lets a record pass that would have been printed without us."""

    def __init__(self, loggers: list[logging.Logger], artifacts: set[str]) -> None:
        super().__init__()
        self._levels = {logger.name: logger.level for logger in loggers}
        self._artifacts = artifacts

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record's logger was enabled for it before."""
        artifact = getattr(logging.getLogger(record.name), "artifact_name", None)
        if artifact is not None and artifact in self._artifacts:
            return True
        if artifact is not None and LOGGING.log_registry.is_off_by_default(artifact):
            return False
        return record.levelno >= self._level(record.name)

    def _level(self, name: str) -> int:
        """The level that counted for a logger: its own, or that of the first above it with one."""
        for part in _upwards(name):
            if level := self._levels.get(part, logging.NOTSET):
                return level
        return logging.WARNING


def _upwards(name: str) -> Iterator[str]:
    while name:
        yield name
        name = name.rpartition(".")[0]


class _Catch(logging.Handler):
    """Makes a fact of each record that was asked for."""

    def __init__(self, recorder: Recorder, asked: Any) -> None:
        super().__init__(logging.DEBUG)
        self._recorder = recorder
        self._artifacts: set[str] = asked.artifact_names
        self._levels: dict[str, int] = dict(asked.get_log_level_pairs())
        self._room = MAX_TEXTS
        self._left = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a record; what goes wrong in it is a note, never an error of the program's."""
        try:
            if self._is_asked(record):
                self._keep(record)
        except Exception as error:
            self._recorder.note_failure("logs", error)

    def _is_asked(self, record: logging.LogRecord) -> bool:
        artifact = getattr(logging.getLogger(record.name), "artifact_name", None)
        if artifact is not None and artifact in self._artifacts:
            return True
        if artifact is not None and LOGGING.log_registry.is_off_by_default(artifact):
            return False
        levels = (self._levels[n] for n in _upwards(record.name) if n in self._levels)
        return record.levelno >= next(levels, logging.CRITICAL + 1)

    def _keep(self, record: logging.LogRecord) -> None:
        artifact = getattr(logging.getLogger(record.name), "artifact_name", None)
        text = record.getMessage()
        if record.exc_info and record.exc_info[0] is not None and artifact != "graph_breaks":
            text = f"{text}\n{logging.Formatter().formatException(record.exc_info)}"
        recorder = self._recorder
        with recorder.lock:
            if len(recorder.logs) >= MAX_MESSAGES or not self._room:
                self._left += 1
                return
            kept = text[: min(MAX_TEXT, self._room)]
            self._room -= len(kept)
            at = innermost(kept)
            recorder.logs.append(
                LogRecord(
                    name=artifact or component_of(record.name),
                    text=self._without_paths(kept),
                    level=_LEVELS.get(record.levelno, "V"),
                    compile_id=str(TRACE_ID.get()() or ""),
                    place=f"{short_path(record.pathname)}:{record.lineno}",
                    span=recorder.texts.span(at.path, at.line, at.name) if at else None,
                    left_out=len(text) - len(kept),
                )
            )

    def _without_paths(self, text: str) -> str:
        """The text with the names of files, which reveal nothing about the machine."""
        texts = self._recorder.texts
        named = _FILE.sub(lambda found: f'File "{texts.name(found[1])}"', text)
        return _INSTALLED.sub("", texts.without_paths(named))

    def told(self) -> None:
        """Say what was too much, at the end."""
        if self._left:
            left, self._left = self._left, 0
            message = f"{left:,} messages of the log were too many to keep."
            self._recorder.notes.append(Note(level="warning", about="logs", message=message))
