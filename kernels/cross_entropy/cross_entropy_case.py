"""Cross-entropy of logits over a vocabulary, as a language model's loss."""

import torch
import torch.nn.functional as F

from dynamo_lab.measure.cases import Case


def cross_entropy(logits, targets):
    return F.cross_entropy(logits, targets)


def inputs(device, dtype, tokens, vocabulary):
    logits = torch.randn(tokens, vocabulary, device=device, dtype=dtype)
    return logits, torch.randint(vocabulary, (tokens,), device=device)


def arguments(logits, targets):
    rows, columns = logits.shape
    losses, out = logits.new_empty(rows), logits.new_empty(())
    given = {"logits": logits, "targets": targets, "losses": losses, "out": out}
    return {**given, "rows": rows, "columns": columns}


case = Case(
    name="cross_entropy",
    title="cross-entropy over a vocabulary",
    teaches="Maximum and sum of exponentials in one pass: when a larger value turns up, the sum so "
    "far is rescaled. Nothing as large as the logits is ever written.",
    eager=cross_entropy,
    inputs=inputs,
    sizes={
        "small": {"tokens": 5, "vocabulary": 5077},
        "usual": {"tokens": 256, "vocabulary": 50257},  # GPT-2's: rows begin at odd addresses
        "large": {"tokens": 4096, "vocabulary": 50257},
    },
    tolerance={"float32": (1e-5, 1e-5), "bfloat16": (1.6e-2, 1e-2), "float16": (2e-3, 2e-3)},
    flops=lambda logits, targets: 4 * logits.numel(),
    arguments=arguments,
)
