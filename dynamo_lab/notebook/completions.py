"""Tab completion of our commands' options and their values, in every host that uses IPython."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Mapping

    Values = Mapping[str, Callable[[], Iterable[str]]]

_COMMAND = re.compile(r"\s*%{1,2}(\w+)\s+(.*)")
_IDENTIFIER = "dynamo_lab"


def complete(text: str, parsers: Mapping[str, argparse.ArgumentParser], values: Values) -> Found:
    """The possible continuations of `text`, a line up to the cursor.

    `parsers` are by command name; `values` has the possible values by name of an option or
    argument, if the parser does not.
    """
    found = _COMMAND.fullmatch(text)
    if found is None or found[1] not in parsers:
        return "", []
    *before, fragment = re.split(r"\s+", found[2])
    options = parsers[found[1]]._option_string_actions
    option, is_joined, rest = fragment.partition("=")
    if is_joined and option in options:
        return rest, _fitting(rest, _values_of(options[option], values))
    asked = options.get(before[-1]) if before else None
    if asked is not None and asked.nargs != 0:
        return fragment, _fitting(fragment, _values_of(asked, values))
    given = {options[word].dest for word in before if word in options}
    left = [name for name, action in options.items() if action.dest not in given]
    arguments = parsers[found[1]]._get_positional_actions()
    named = [value for one in arguments[:1] for value in _values_of(one, values)]
    return fragment, _fitting(fragment, [*([] if _positional(before, options) else named), *left])


Found = tuple[str, list[str]]
"""The part of the line that is replaced, and its possible replacements."""


def _positional(before: list[str], options: Mapping[str, Any]) -> bool:
    """Whether the command's first argument is already given."""
    takes = {name for name, action in options.items() if action.nargs != 0}
    pairs = zip(["", *before], before, strict=False)
    return any(word not in options and last not in takes for last, word in pairs)


def _values_of(action: argparse.Action, values: Values) -> list[str]:
    if action.choices is not None:
        return [str(value) for value in action.choices]
    return list(values[action.dest]()) if action.dest in values else []


def _fitting(fragment: str, values: Iterable[str]) -> list[str]:
    return [value for value in values if value.startswith(fragment)]


def add_completions(
    shell: Any, parsers: Mapping[str, argparse.ArgumentParser], values: Values
) -> None:
    """Have this shell's completer call us, too."""
    from IPython.core import completer

    untyped: Any = completer

    def match(context: Any) -> Any:
        fragment, found = complete(context.text_until_cursor, parsers, values)
        return {
            "completions": [untyped.SimpleCompletion(text, type="param") for text in found],
            "matched_fragment": fragment if found else context.token,
            "suppress": bool(found),  # file names and Python names are not options
            "ordered": True,
        }

    matchers = shell.Completer.custom_matchers
    matchers[:] = [m for m in matchers if getattr(m, "matcher_identifier", "") != _IDENTIFIER]
    matchers.append(untyped.context_matcher(identifier=_IDENTIFIER)(match))
