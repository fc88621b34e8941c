"""What the remedies make of programs at fault, and what was gained, counted in their recordings."""

from pathlib import Path
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

from dynamo_lab.model.recording import Recording
from dynamo_lab.view.core import links
from dynamo_lab.view.core.ancestry import Ancestry
from dynamo_lab.view.core.places import Places
from dynamo_lab.view.core.regions import Regions
from dynamo_lab.view.findings import traffic
from dynamo_lab.view.findings.finding import Facts
from dynamo_lab.view.findings.speed import host_copies, missed_fusion
from dynamo_lab.view.fusion import peaks
from tests.findings.faults import Fault, program, recorded
from tests.findings.memory.mended import MENDED as OF_MEMORY
from tests.findings.memory_faults import FAULTS as MEMORY
from tests.findings.speed.fusion_faults import FAULTS as FUSION
from tests.findings.speed.gpu_faults import FAULTS as GPU
from tests.findings.speed_faults import FAULTS as SPEED

FAULTS = {**SPEED, **GPU, **FUSION, **MEMORY}

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
    "spectrum_in_complex_numbers": (
        """
            spectrum = torch.fft.rfft(x)
            shifted = spectrum * spectrum.conj()  # fault
            return shifted.real.log1p()
""",
        """
            re, im = torch.view_as_real(torch.fft.rfft(x)).unbind(-1)
            return (re * re + im * im).log1p()
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
        "torch.randn(512, 32, 16).permute(2, 1, 0).contiguous().permute(2, 1, 0)",
    ),
    "images_with_columns_first": (
        "torch.randn(48, 8, 4, 40)",
        "torch.randn(48, 8, 4, 40).permute(2, 1, 3, 0)"
        ".to(memory_format=torch.channels_last).permute(3, 1, 0, 2)",
    ),
    "cuda_graph_and_a_cache_that_is_written": (
        "cache, new, at = torch.zeros(64, 32), torch.randn(32, 4), torch.arange(4)",
        "cache, new, at = torch.zeros(64, 32), torch.randn(32, 4), torch.arange(4); "
        "torch._dynamo.mark_static_address(cache)",
    ),
    "cuda_graph_and_a_cache_that_is_written:returned": (
        """
            cache.index_copy_(0, at, new.T)  # fault
            return scores.softmax(0)
""",
        """
            return scores.softmax(0), cache.index_copy(0, at, new.T)
""",
    ),
    "cuda_graph_and_a_cache_that_is_written:a_buffer": (
        """
        def record(lab):
            cache, new, at = torch.zeros(64, 32), torch.randn(32, 4), torch.arange(4)
            return lab.lower(step, cache, new, at, mode="reduce-overhead", target="cuda:sm_90")
""",
        """
        class Step(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("cache", torch.zeros(64, 32))

            def forward(self, new, at):
                return step(self.cache, new, at)

        def record(lab):
            new, at = torch.randn(32, 4), torch.arange(4)
            return lab.lower(Step(), new, at, mode="reduce-overhead", target="cuda:sm_90")
""",
    ),
    "cuda_graph_and_a_branch": (
        "torch.cond(x.sum() > 0, lambda a: a * 2, lambda a: a - 1, (y,))  # fault",
        "torch.where(x.sum() > 0, y * 2, y - 1)",
    ),
    "cuda_graph_and_a_size_from_data": (
        """
            found = y.nonzero()  # fault
            return (found * 2).sum() + (y @ y).sum()
""",
        """
            rows = torch.arange(8, device=x.device)
            found = torch.where(y != 0, rows[:, None] + rows, 0)
            return (found * 2).sum() + (y @ y).sum()
""",
    ),
    "statistics_on_the_host": (
        """
            energy = (x * x).cpu()  # fault
            scale = energy.mean(-1, keepdim=True).rsqrt()
            return x * scale.to("cuda")
""",
        """
            energy = x * x
            scale = energy.mean(-1, keepdim=True).rsqrt()
            return x * scale
""",
    ),
    "module_that_moves_to_the_host_and_back": (
        """
                on_host = x.to(device="cpu", dtype=torch.float64)  # fault
                limit = on_host.abs().amax()
                return x / limit.float().cuda()
""",
        """
                limit = x.to(dtype=torch.float64).abs().amax()
                return x / limit.float()
""",
    ),
    "number_as_a_size": (
        """
            longest = lengths.max().item()  # fault
            torch._check(longest >= 0)
            torch._check(longest <= 16)
            return x.relu() + torch.ones(longest).sum()
""",
        """
            return x.relu() + lengths.max()
""",
    ),
    "rows_chosen_by_a_mask": (
        """
            kept = x.exp()[valid]  # fault
            return kept.log().sum()
""",
        """
            return torch.where(valid[:, None], x.exp().log(), 0).sum()
""",
    ),
    "many_sums_over_the_same_data": (
        "return lab.lower(moments, *(torch.randn(1024, 512) for _ in range(3)))",
        "with torch._inductor.config.patch({'cpp.max_horizontal_fusion_size': 32}): "
        "return lab.lower(moments, *(torch.randn(1024, 512) for _ in range(3)))",
    ),
    **OF_MEMORY,
}
"""By the name of a fault: what to replace in its source, and by what.

Another way to mend it stands after a colon in the name.
"""


def fault_of(name: str) -> Fault:
    """The fault that is mended in this way."""
    return FAULTS[name.partition(":")[0]]


def mended(name: str) -> str:
    """The source of a program with its fault mended."""
    before, after = MENDED[name]
    source = fault_of(name).source
    assert before in source, name
    return source.replace(before, after)


def both(name: str, folder: Path) -> tuple[Recording, Recording]:
    """The recordings of a program at fault, and of the mended one."""
    file = name.replace(":", "_by_")
    found = recorded(fault_of(name).source, folder, file)
    return found, recorded(mended(name), folder, f"{file}_mended")


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
    if rule == "cuda-graph-not-used":
        asked = [one for one in recording.cuda_graphs if one.asked]
        skipped = [one for one in asked if one.skipped or one.mutated]
        calls = [traffic.kernel_calls(recording, one.graph) for one in skipped]
        return sum(calls) + len(asked) - len(skipped)
    if rule == "host-copy":
        copies = (host_copies.copies_of(g, is_lowered=True) for g in recording.captured_graphs())
        return sum(one.bytes for found in copies for one in found)
    facts = facts_of(recording)
    graphs = [graph.id for graph in recording.graphs if graph.stage == "post_grad"]
    return traffic.moved(facts, graphs) or 0


class _Host:
    """In place of `dynamo_lab`: what a program asks to have recorded is called, by eager PyTorch.

    `results` are what comes out, what it left in its arguments, and the gradients of inputs and
    parameters, where there are any.
    """

    def __init__(self) -> None:
        self.results: list[torch.Tensor] = []

    def lower(self, fn: Any, *args: Any, grad: bool | None = None, **_: Any) -> None:
        """Call it."""
        with torch.set_grad_enabled(grad is not False and torch.is_grad_enabled()):
            out = fn(*args)
        made = tree_leaves(out)
        self.results += [one.detach() for one in (*made, *args)]
        own = list(fn.parameters()) if isinstance(fn, torch.nn.Module) else []
        trained = [one for one in (*args, *own) if one.requires_grad]
        ends = [one.sum() for one in made if one.requires_grad]
        self.results += torch.autograd.grad(ends, trained) if ends else ()

    explore = lower


def numbers(source: str, folder: Path, name: str) -> list[torch.Tensor]:
    """What a program computes eagerly, with every tensor on the host."""
    host = source.replace('"cuda"', '"cpu"').replace(".cuda()", ".cpu()")
    called = _Host()
    torch.manual_seed(0)
    program(host, folder, name).record(called)
    return called.results


def facts_of(recording: Recording) -> Facts:
    """What rules read."""
    places = Places(recording)
    ancestry = Ancestry(links.build(recording))
    return Facts(recording, places, Regions(recording, places), ancestry)
