"""What to change so that a module takes its fast path, by PyTorch's words for why it did not."""

from msgspec import Struct

from dynamo_lab.model.fast_path.calls import FastPathCall, Kind

_ALL: tuple[Kind, ...] = ("encoder", "layer", "attention")


class Remedy(Struct, frozen=True):
    """What to change where PyTorch's reason has these words, of these kinds of modules."""

    words: str
    text: str
    kinds: tuple[Kind, ...] = _ALL


REMEDIES: tuple[Remedy, ...] = (
    Remedy(
        "get_fastpath_enabled() was not True",
        "Call `torch.backends.mha.set_fastpath_enabled(True)`.",
    ),
    Remedy(
        "grad is enabled",
        "Where you do not train, call it under `torch.no_grad()`; training has no fast path.",
    ),
    Remedy("training", "Call `eval()` on the model first; training has no fast path."),
    Remedy(
        "not batched",
        "Give the input a dimension for the batch: `x.unsqueeze(0)`.",
    ),
    Remedy(
        "batch_first was not True",
        "Make it with `batch_first=True`, and pass the batch first: `x.transpose(0, 1)`.",
    ),
    Remedy(
        "autocast is enabled",
        "Call it outside of autocast, with weights and input of the type that you want: "
        "`model.bfloat16()`.",
    ),
    Remedy(
        "activation_relu_or_gelu was not True",
        'Only ReLU and GELU have it, passed as `"relu"`, `"gelu"`, a function of '
        "`torch.nn.functional` or a module.",
        ("encoder", "layer"),
    ),
    Remedy("eps", "Give `norm1` and `norm2` the same `eps`.", ("encoder", "layer")),
    Remedy(
        "passed bias=False",
        "It has biases only: with `bias=True` it is another model, unless they are zero.",
        ("encoder", "layer"),
    ),
    Remedy("hooks are attached", "Remove the hooks of its modules: `handle.remove()`.", ("layer",)),
    Remedy("is odd", "It takes an even number of heads, which is another model."),
    Remedy("is not even", "It takes an even number of heads, which is another model."),
    Remedy(
        "not the same Tensor",
        "It is for self-attention: pass the same tensor three times, where it is the same.",
        ("attention",),
    ),
    Remedy(
        "floating-point masks",
        "Pass a Boolean mask, which is True where nothing may be seen.",
        ("attention",),
    ),
    Remedy(
        "norm_first was True",
        "Padding is skipped with `norm_first=False` only, which is another model.",
        ("encoder",),
    ),
    Remedy(
        "not left aligned",
        "Move the padding behind the tokens of each sequence: it must not be before or between.",
        ("encoder",),
    ),
    Remedy(
        "mask were both supplied",
        "Padding is skipped only without `mask`.",
        ("encoder",),
    ),
    Remedy(
        "mask_check enabled with torch.compile",
        "Compiled, padding is computed. `torch.compiler.disable(encoder)` leaves the encoder to "
        "eager, which can skip it; `lab.fast_path` measures which is faster.",
        ("encoder",),
    ),
    Remedy(
        "make_fx tracing",
        "PyTorch says so of every such call in a compiled region, after the conditions before that "
        "one held; its parts are compiled instead. `lab.fast_path` says what it takes eagerly.",
        ("attention",),
    ),
)


def remedy_for(call: FastPathCall) -> str:
    """What to change, empty where nothing is known to help.

    What a layer passes to its attention is not the reader's to change: it makes numbers of masks.
    """
    reason = call.made_so or call.reason
    if call.taken or not reason or (call.kind == "attention" and call.depth):
        return ""
    fitting = (one for one in REMEDIES if one.words in reason and call.kind in one.kinds)
    return next((one.text for one in fitting), "")
