"""The reader's names of what a compiled function is given, for rules that begin at a node."""

import re

from dynamo_lab.view.core.ancestry import NodeKey
from dynamo_lab.view.findings.finding import Facts

_LOCAL = re.compile(r"^L_([A-Za-z]\w*?)_$")
"""Dynamo's name of a local variable, from which a graph's input is made: "L_cache_"."""


def argument_of(facts: Facts, key: NodeKey) -> str:
    """The variable that a graph's input is; empty where it is none, as an attribute or an item."""
    for graph, node in facts.ancestry.above([key]):
        nodes = facts.recording.graphs[graph].nodes
        is_given = nodes.strings[nodes.op[node]] == "placeholder"
        found = _LOCAL.match(nodes.strings[nodes.target[node]]) if is_given else None
        if found and not nodes.inputs[node]:
            return found[1] if _is_variable(facts, found[1]) else ""
    return ""


def _is_variable(facts: Facts, name: str) -> bool:
    """Whether the source has this word: "L_self_buffers_mean_" is an attribute, and no variable."""
    word = re.compile(rf"\b{re.escape(name)}\b")
    own = (source for source in facts.recording.sources if source.kind != "library")
    return any(word.search(text) for source in own for _, text in source.lines())
