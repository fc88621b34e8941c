# %% 10.1: It computes something other than the original
def causal_attention(q, k, v):
    return F.scaled_dot_product_attention(q, k, v)


# %% 10.1: One kernel is needed
def causal_attention(q, k, v):
    allowed = torch.ones(q.shape[-2], q.shape[-2], dtype=torch.bool).tril()
    return F.scaled_dot_product_attention(q, k, v, attn_mask=allowed)


# %% 10.1: No fused attention kernel is called
def causal_attention(q, k, v):
    with sdpa_kernel(SDPBackend.MATH):
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)


# %% 10.1: It breaks
def causal_attention(q, k, v):
    fused = torch.compiler.disable(F.scaled_dot_product_attention)
    return fused(q, k, v, is_causal=True)


# %% 10.2: and should be
def slope(score, batch, head, query, key):
    return score - (query - key).abs() * 0.5


# %% 10.2: and should be
def slope(score, batch, head, query, key):
    return score - (query - key) * 0.5 ** (head + 1)


# %% 10.2: and should be
def slope(score, batch, head, query, key):
    return score + (query - key).abs() * 0.5 ** (head + 1)


# %% 10.2: Your function returns nothing yet
def slope(score, batch, head, query, key):
    score - (query - key).abs() * 0.5 ** (head + 1)


# %% 10.2: A score of -0.25 in head 0
def slope(score, batch, head, query, key):
    return 1.5 - (query - key).abs() * 0.5 ** (head + 1)


# %% 10.2: The numbers are right, but Inductor could not write it
def slope(score, batch, head, query, key):
    return score - (query - key).abs() / 2 ** (head + 1)


# %% 10.3: Yours says that token 128 may see token 0
def window(batch, head, query, key):
    return (query >= key) & (query - key <= 128)


# %% 10.3: Yours says that token 0 may see token 1
def window(batch, head, query, key):
    return (query - key).abs() < 128


# %% 10.3: raised
def window(batch, head, query, key):
    return query >= key and query - key < 128


# %% 10.4: That has the output in it
besides = kept(sdpa, 256)


# %% 10.4: So much the scores would take
besides = 2 * 256 * 256 * 4


# %% 10.4: How many bytes
besides = 2 * 256


# %% 10.4: It is more than
besides = 256 * 4
