"""What the remedies make of programs at fault, and what was gained, counted in their recordings."""

from pathlib import Path

from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core import links
from dynamo_lab.view.core.ancestry import Ancestry
from dynamo_lab.view.core.places import Places
from dynamo_lab.view.core.regions import Regions
from dynamo_lab.view.findings import traffic
from dynamo_lab.view.findings.finding import Facts
from dynamo_lab.view.findings.speed import host_copies, missed_fusion
from dynamo_lab.view.fusion import peaks
from tests.findings.faults import recorded
from tests.findings.memory_faults import FAULTS as MEMORY
from tests.findings.speed_faults import FAULTS as SPEED

FAULTS = {**SPEED, **MEMORY}

MENDED = {
    "numpy_table_is_float64": ("torch.as_tensor(TABLE)", "torch.as_tensor(TABLE).to(x.dtype)"),
    "module_with_a_buffer_of_float64": (
        "np.arange(128 * 64.0)))",
        "np.arange(128 * 64.0))).float()",
    ),
    "loss_in_float64": (
        "error = predicted - wanted",
        "error = predicted - wanted.to(predicted.dtype)",
    ),
    "rotary_embedding_in_complex_numbers": (
        """
            z = torch.view_as_complex(q.reshape(*q.shape[:-1], -1, 2))
            z = z * torch.polar(torch.ones_like(freqs), freqs)  # fault
            return torch.view_as_real(z).flatten(-2) * 2
""",
        """
            re, im = q.reshape(*q.shape[:-1], -1, 2).unbind(-1)
            cos, sin = freqs.cos(), freqs.sin()
            return torch.stack((re * cos - im * sin, re * sin + im * cos), -1).flatten(-2) * 2
""",
    ),
    "experts_one_by_one": (
        """
            out = []
            for number in range(len(weights)):
                out.append(x[number] @ weights[number])  # fault
            return torch.stack(out).relu()
""",
        """
            return torch.bmm(x, weights).relu()
""",
    ),
    "recurrent_input_in_the_loop": (
        """
                for step in range(x.shape[1]):
                    seen = self.read(x[:, step])  # fault
""",
        """
                read = self.read(x)
                for step in range(x.shape[1]):
                    seen = read[:, step]
""",
    ),
    "signal_with_time_first": (
        "torch.randn(512, 32, 16)",
        "torch.randn(16, 32, 512).permute(2, 1, 0)",
    ),
    "attention_by_hand": (
        """
            weights = (q @ k.transpose(-1, -2)).softmax(-1)  # fault
            return weights @ v
""",
        """
            return torch.nn.functional.scaled_dot_product_attention(q, k, v, scale=1.0)
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
    "rows_repeated": (
        """
                repeated = context.repeat(1024, 1)  # fault
                return self.mix(repeated).amax(0)
""",
        """
                return self.mix(context).unsqueeze(0).expand(1024, -1, -1).flatten(0, 1).amax(0)
""",
    ),
    "first_columns_of_a_projection": ("wide)[:, :8]", "wide)[:, :8].clone()"),
    "last_token_of_a_sequence": ("hidden[:, -1]", "hidden[:, -1].clone()"),
}
"""By the name of a fault: what to replace in its source, and by what."""


def mended(name: str) -> str:
    """The source of a program with its fault mended."""
    before, after = MENDED[name]
    source = FAULTS[name].source
    assert before in source, name
    return source.replace(before, after)


def both(name: str, folder: Path) -> tuple[Recording, Recording]:
    """The recordings of a program at fault, and of the mended one."""
    found = recorded(FAULTS[name].source, folder, name)
    return found, recorded(mended(name), folder, f"{name}_mended")


def counted(rule: str, recording: Recording) -> float:
    """What the gain of a rule is about, counted in a recording."""
    plans = recording.memory_plans
    if rule in ("attention-matrix", "blown-up-tensor"):
        return max((peaks.peak_of(recording, plan).bytes for plan in plans), default=0)
    if rule in ("saved-view", "saved-activations", "saved-in-vain"):
        return sum(part.activation_bytes for part in recording.partitions)
    if rule == "many-small-calls":
        return sum(len(plan.steps) for plan in plans)
    if rule == "missed-fusion":
        facts = facts_of(recording)
        return sum(missed_fusion.bytes_through(facts, one) for one in recording.schedules)
    if rule == "host-copy":
        copies = (host_copies.copies_of(g, is_lowered=True) for g in recording.captured_graphs())
        return sum(one.bytes for found in copies for one in found)
    facts = facts_of(recording)
    graphs = [graph.id for graph in recording.graphs if graph.stage == "post_grad"]
    return traffic.moved(facts, graphs) or 0


def facts_of(recording: Recording) -> Facts:
    """What rules read."""
    places = Places(recording)
    ancestry = Ancestry(links.build(recording))
    return Facts(recording, places, Regions(recording, places), ancestry)
