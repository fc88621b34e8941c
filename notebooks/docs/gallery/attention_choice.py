"""Attention, chosen in silence.

Three calls that look alike are not the same kernel on an A100: the first is flash attention, a
mask and other lengths are not. **Attention** says which kernel each is, on the CPU and on two GPUs,
and for every other one why not.
"""

import torch
import torch.nn.functional as F

import dynamo_lab as lab

VIEW = "attention"


def three(q, k, v, mask):
    a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    b = F.scaled_dot_product_attention(a, k, v, attn_mask=mask)
    return F.scaled_dot_product_attention(b[:, :, :64], k, v, is_causal=True)


heads = torch.randn(3, 2, 8, 128, 64).half()
mask = torch.ones(128, 128, dtype=torch.bool).tril()
rec = lab.lower(three, *heads, mask, target="cuda:sm_80")
assert len([one for one in rec.attentions if one.kind == "sdpa"]) == 3
