"""The bytes of a recording's file."""

from __future__ import annotations

import json

from dynamo_lab.model.core import codec


def wrapped(recording: object, **envelope: object) -> bytes:
    """The file that holds `recording`, with parts of its envelope replaced."""
    return json.dumps(
        {"format": codec.FORMAT, "schema": codec.SCHEMA, "recording": recording} | envelope
    ).encode()
