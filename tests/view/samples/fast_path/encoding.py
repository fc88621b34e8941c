"""An encoder whose padding is computed, layers that took their fast path, and one that broke."""

from dynamo_lab.model.core.sources import Excerpt, Source, Span
from dynamo_lab.model.fast_path.calls import FastPath, FastPathCall, Kind
from dynamo_lab.model.frames import Frame
from dynamo_lab.model.recording import Recording

CELL = """\
hidden = encoder(x, src_key_padding_mask=pad)
seen = attention(hidden, hidden, hidden)[0]
out = other(seen, src_key_padding_mask=pad)"""


def encoding() -> Recording:
    """Two layers in the first encoder; the second one is outside of the graph."""
    return Recording(
        title="encoding",
        sources=(Source("<ipython-input-6-abc>", "cell", (Excerpt(1, CELL),)),),
        spans=tuple(Span(0, line, "cell") for line in (1, 2, 3)),
        stacks=((0,), (1,), (2,)),
        frames=(Frame(id=0, name="<cell>", span=0, outcome="compiled"),),
        fast_paths=(
            _call("encoder", 0, "mask_check enabled with torch.compile", module="encoder"),
            *(_call("layer", 0, "", module=f"encoder.layers.{at}", depth=1) for at in range(3)),
            _call("attention", 1, "we are running make_fx tracing", module="attention"),
            _call("encoder", 2, "", module="other", cut=True),
        ),
    )


def _call(
    kind: Kind, stack: int, reason: str, *, module: str, depth: int = 0, cut: bool = False
) -> FastPath:
    taken = not reason and not cut
    call = FastPathCall(kind=kind, taken=taken, reason=reason, module=module, depth=depth)
    return FastPath(frame=0, call=call, stack=stack, cut=cut)
