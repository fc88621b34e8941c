"""Why does it not export? One rule a file; what no other rule knows is said in PyTorch's words."""

from dynamo_lab.view.findings.export import (
    arguments,
    assigned_attribute,
    auto_fixed,
    became_constant,
    bounded,
    data_dependent,
    example_outside,
    graph_break,
    must_be_equal,
    not_packaged,
    numpy_array,
    other,
    unknown_type,
    unsupported_operator,
)
from dynamo_lab.view.findings.finding import Rule

RULES: tuple[Rule, ...] = (
    became_constant.find,
    must_be_equal.find,
    bounded.find,
    example_outside.find,
    data_dependent.find,
    graph_break.find,
    numpy_array.find,
    unsupported_operator.find,
    unknown_type.find,
    arguments.find,
    assigned_attribute.find,
    auto_fixed.find,
    not_packaged.find,
    other.find,
)
