"""Why does it take more memory? One rule a file."""

from dynamo_lab.view.findings.finding import Rule
from dynamo_lab.view.findings.memory import (
    activations,
    attention_matrix,
    blown_up,
    compile_peak,
    more_than_eager,
    saved_in_vain,
    saved_view,
)

RULES: tuple[Rule, ...] = (
    attention_matrix.find,
    blown_up.find,
    more_than_eager.find,
    saved_in_vain.find,
    saved_view.find,
    activations.find,
    compile_peak.find,
)
