"""The faults of memory mended: what to replace in the source of each, and by what."""

MENDED: dict[str, tuple[str, str]] = {
    "attention_by_hand": (
        """
            weights = (q @ k.transpose(-1, -2)).softmax(-1)  # fault
            return weights @ v
""",
        """
            return torch.nn.functional.scaled_dot_product_attention(q, k, v, scale=1.0)
""",
    ),
    "attention_of_a_trained_module": (
        """
                scores = torch.matmul(q, k.transpose(-2, -1)) * self.heat
                weights = torch.nn.functional.softmax(scores, dim=-1)  # fault
                return torch.matmul(weights, v).transpose(1, 2).flatten(-2)
""",
        """
                attention = torch.nn.functional.scaled_dot_product_attention
                return attention(q * self.heat, k, v, scale=1.0).transpose(1, 2).flatten(-2)
""",
    ),
    "masked_attention_in_a_library_of_ones_own": (
        """
            weights = torch.softmax(scores(q, k, mask), dim=-1)  # fault
            return torch.einsum("bij,bjd->bid", weights, v)
""",
        """
            bias = torch.zeros(mask.shape).masked_fill(mask, -1e9)
            q, k, v = (one[:, None] for one in (q, k, v))
            attention = torch.nn.functional.scaled_dot_product_attention
            return attention(q, k, v, bias, scale=0.2)[:, 0]
""",
    ),
    "every_pair_of_points": (
        """
            apart = (a[:, None] - b[None]).pow(2)  # fault
            return (apart @ weight).sum()
""",
        """
            w = weight[:, 0]
            cross = (a * w) @ b.T
            return ((a * a) @ w[:, None] - 2 * cross + ((b * b) @ w)[None]).sum()
""",
    ),
    "product_with_a_one_hot_matrix": (
        """
            chosen = F.one_hot(tokens, 5000).float()  # fault
            return torch.relu(chosen @ table)
""",
        """
            return torch.relu(table[tokens])
""",
    ),
    "linear_of_a_one_hot_matrix": (
        """
            chosen = F.one_hot(tokens, 5000).float()  # fault
            return torch.relu(F.linear(chosen, weight, bias))
""",
        """
            return torch.relu(weight.T[tokens] + bias)
""",
    ),
    "rows_interleaved": (
        """
                repeated = context.repeat_interleave(1024, 0)  # fault
                return self.mix(repeated).amax(0)
""",
        """
                return self.mix(context).repeat_interleave(1024, 0).amax(0)
""",
    ),
    "rows_repeated": (
        """
                repeated = context.repeat(1024, 1)  # fault
                return self.mix(repeated).amax(0)
""",
        """
                return self.mix(context).repeat(1024, 1).amax(0)
""",
    ),
    "evaluation_with_a_gradient": (
        "return lab.explore(",
        "with torch.no_grad(): return lab.explore(",
    ),
    "validation_loop": (
        "with lab.record() as recorder:",
        "with torch.no_grad(), lab.record() as recorder:",
    ),
    "first_columns_of_a_projection": ("wide)[:, :8]", "wide)[:, :8].clone()"),
    "last_token_of_a_sequence": ("hidden[:, -1]", "hidden[:, -1].clone()"),
}
