"""Reasons against what is called as it is: libraries and your own Triton kernels."""

from dynamo_lab.view.fusion.advice.sentences import Advice

REASONS: dict[str, Advice] = {
    "node2 is extern or nop": Advice("{b} calls a library function or does nothing."),
    "node1 is extern or nop": Advice("{a} calls a library function or does nothing."),
    "node1 is nop": Advice("{a} does no work of its own: it only names memory."),
    "node1 is extern but not a triton": Advice("{a} calls a library function."),
    "node1's triton kernel doesn't support": Advice(
        "{a} is a Triton kernel of yours that cannot take more work at its end: for that it has to "
        "write one buffer, and declare no more than one as changed."
    ),
    "node1 is extern but node2": Advice(
        "{a} is a Triton kernel of yours, which takes elementwise work only."
    ),
    "epilogue reads from buffers other": Advice(
        "Work after your Triton kernel may read its result alone, and {b} reads more."
    ),
    "epilogue is not a unary read": Advice(
        "Work after your Triton kernel may read its result alone, once."
    ),
    "epilogue's read and write": Advice("{b} writes at other places than it reads."),
    "node1 and node2 uses different": Advice("Their sizes or strides differ."),
}
