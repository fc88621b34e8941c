"""A matrix product in tiles, with bias and GELU on the tile before it is written."""

import torch
import triton
import triton.language as tl


def config(rows, columns, warps, stages):
    return triton.Config({"ROWS": rows, "COLUMNS": columns}, num_warps=warps, num_stages=stages)


# Tried on the device, for each shape and dtype; made for an H200. A large tile loads less for each
# product, two small ones on a processor hide each other's waits. What does not fit is left out.
CONFIGS = [
    config(128, 256, 8, 3),
    config(128, 256, 8, 4),
    config(256, 128, 8, 3),
    config(128, 128, 4, 3),
    config(128, 128, 8, 4),
]


@triton.autotune(
    CONFIGS if torch.cuda.is_available() else CONFIGS[:1], ["rows", "inner", "columns"]
)
@triton.jit
def matmul_kernel(
    x,
    weight,
    bias,
    out,
    rows,
    inner,
    columns,
    ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
    INNER: tl.constexpr,
    GROUP: tl.constexpr,
    EVEN: tl.constexpr,
    PRECISION: tl.constexpr,
):
    # Programs that run at the same time share tiles of x and weight through the second cache if
    # they take GROUP rows of tiles at once, column by column, rather than one row after another.
    tiles_down = tl.cdiv(rows, ROWS)
    tiles_across = tl.cdiv(columns, COLUMNS)
    program = tl.program_id(0)
    band = program // (GROUP * tiles_across) * GROUP
    height = min(tiles_down - band, GROUP)
    down = band + program % (GROUP * tiles_across) % height
    across = program % (GROUP * tiles_across) // height

    row = down * ROWS + tl.arange(0, ROWS)
    column = across * COLUMNS + tl.arange(0, COLUMNS)
    step = tl.arange(0, INNER)
    # rows beyond the last are read as the first ones again, and never written: no mask in the loop
    x_at = x + (row % rows)[:, None].to(tl.int64) * inner + step[None, :]
    weight_at = weight + (column % columns)[None, :].to(tl.int64) * inner + step[:, None]
    tile = tl.zeros([ROWS, COLUMNS], tl.float32)
    for start in range(0, inner, INNER):
        if EVEN:
            a, b = tl.load(x_at), tl.load(weight_at)
        else:
            a = tl.load(x_at, step[None, :] < inner - start, other=0.0)
            b = tl.load(weight_at, step[:, None] < inner - start, other=0.0)
        tile = tl.dot(a, b, tile, input_precision=PRECISION)
        x_at += INNER
        weight_at += INNER

    value = tile + tl.load(bias + column, column < columns).to(tl.float32)[None, :]
    value *= tl.sigmoid(value * (1.5957691216 + 0.0713548163 * value * value))  # see bias_gelu
    inside = (row < rows)[:, None] & (column < columns)[None, :]
    tl.store(out + row[:, None].to(tl.int64) * columns + column[None, :], value, inside)


def run(x, weight, bias):
    (rows, inner), columns = x.shape, weight.shape[0]
    out = x.new_empty(rows, columns)
    step = 128 // x.element_size()  # as many bytes as a row of shared memory has
    # float32 is multiplied exactly, as eager does unless TF32 is allowed
    precision = "tf32" if torch.backends.cuda.matmul.allow_tf32 else "ieee"

    def grid(sizes):
        return (triton.cdiv(rows, sizes["ROWS"]) * triton.cdiv(columns, sizes["COLUMNS"]),)

    matmul_kernel[grid](
        x,
        weight,
        bias,
        out,
        rows,
        inner,
        columns,
        INNER=step,
        GROUP=8,
        EVEN=inner % step == 0,
        PRECISION=precision,
    )
    return out
