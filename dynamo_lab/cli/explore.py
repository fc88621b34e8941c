"""`dynamo-lab explore`: run and record a script."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from dynamo_lab.cli.core import selection
from dynamo_lab.cli.core.files import writers
from dynamo_lab.cli.core.options import WHOLE, add_command, add_outputs, add_sections
from dynamo_lab.cli.core.printing import print_recording, view_of
from dynamo_lab.errors import DynamoLabError
from dynamo_lab.live.assembly.assembly import with_assemblies
from dynamo_lab.model.recording import Recording
from dynamo_lab.record.options import add_logs_option, add_step_options, add_target_option
from dynamo_lab.record.script import Script
from dynamo_lab.render.text import as_line

if TYPE_CHECKING:
    import argparse

    from dynamo_lab.cli.core.files import Writer
    from dynamo_lab.cli.core.options import Commands


def add(commands: Commands) -> None:
    """Add the command."""
    parser = add_command(commands, "explore", "run a script and show what was compiled in it", run)
    parser.usage = "dynamo-lab explore SCRIPT [options] [-- SCRIPT ARGUMENTS]"
    parser.add_argument("script", metavar="SCRIPT", help="the Python file to run")
    add_outputs(parser, json="save the recording (.json or .json.gz)")
    add_step_options(parser)
    add_logs_option(parser)
    add_target_option(parser)
    parser.add_argument(
        "--assembly", action="store_true", help="also assemble each kernel: PTX, SASS, x86, ..."
    )
    add_sections(parser, "--show")
    parser.set_defaults(**WHOLE)


def run(options: argparse.Namespace) -> int:
    """The script's own exit code, or 2 if it is 0 and a file could not be written."""
    script = Script(options.script, options.script_arguments)
    asked = writers(options)
    _refuse_unknown_sections(options)
    detail = {"detail": options.detail, "max_steps": options.max_steps}
    recording = script.recorded(target=options.target, logs=options.logs, **detail)
    if options.assembly:
        recording = with_assemblies(recording)
    tried = [(writer[1], _attempt(writer, recording)) for writer in asked]
    print_recording(recording, options)
    for path, error in tried:
        if error:
            print(f"dynamo-lab: {error}", file=sys.stderr)
        else:
            print(f"Wrote {as_line(path)}")
    return script.code or (2 if any(error for _, error in tried) else 0)


def _refuse_unknown_sections(options: argparse.Namespace) -> None:
    """Raise now what the renderer would raise for a section after a long script has run."""
    from dynamo_lab.render import terminal

    terminal.renderable(view_of(Recording(title="")), selection.sections(options))


def _attempt(writer: Writer, recording: Recording) -> DynamoLabError | None:
    """What went wrong: a file that fails does not affect the others."""
    write, path = writer
    try:
        write(recording, path)
    except DynamoLabError as error:
        return error
    return None
