"""Programs at fault that no formula was made on, each with its mended form.

They are written once and stay as they are: what is foretold of them may be wrong, and a formula is
never corrected by them. What corrects one is in `tests/findings`.
"""

from typing import NamedTuple


class Pair(NamedTuple):
    """The source of a program, and what its remedy replaces in it, by what."""

    source: str
    fault: str
    mended: str

    @property
    def better(self) -> str:
        """The source with the fault mended."""
        assert self.fault in self.source
        return self.source.replace(self.fault, self.mended)


HELD_OUT = {
    "window_of_a_signal": Pair(
        """
        import numpy as np
        import torch

        WINDOW = np.hanning(400)

        def frames(signal):
            framed = signal.unfold(-1, 400, 160)
            windowed = framed * torch.as_tensor(WINDOW)
            return (windowed * windowed).mean(-1).clamp_min(1e-6).log()

        def record(lab):
            return lab.lower(frames, torch.randn(8, 16000))
        """,
        "torch.as_tensor(WINDOW)",
        "torch.as_tensor(WINDOW, dtype=torch.float32)",
    ),
    "images_normalised_by_numpy": Pair(
        """
        import numpy as np
        import torch

        MEAN = torch.from_numpy(np.array([0.48, 0.45, 0.40]))
        STD = torch.from_numpy(np.array([0.22, 0.22, 0.22]))

        def normalised(images):
            x = images.float() / 255
            x = (x - MEAN[:, None, None]) / STD[:, None, None]
            return x.amax((-1, -2)), x.clamp(-2, 2)

        def record(lab):
            return lab.lower(normalised, torch.randint(0, 256, (8, 3, 64, 64), dtype=torch.uint8))
        """,
        "from_numpy(np.array(",
        "tensor((",
    ),
    "filter_of_complex_gains": Pair(
        """
        import torch

        def filtered(a, b, gain, phase):
            z = torch.complex(a, b)
            turned = z * torch.polar(gain, phase) + z
            return turned.real.square() + turned.imag.square()

        def record(lab):
            return lab.lower(filtered, *torch.randn(4, 64, 1024).unbind())
        """,
        """
            z = torch.complex(a, b)
            turned = z * torch.polar(gain, phase) + z
            return turned.real.square() + turned.imag.square()
""",
        """
            re, im = gain * phase.cos() + 1, gain * phase.sin()
            return (a * re - b * im).square() + (a * im + b * re).square()
""",
    ),
    "heads_in_a_list": Pair(
        """
        import torch

        class Heads(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.weights = torch.nn.ParameterList(torch.randn(32, 16) for _ in range(32))

            def forward(self, x):
                return torch.cat([torch.relu(x @ weight) for weight in self.weights], -1)

        def record(lab):
            return lab.lower(Heads(), torch.randn(24, 32), grad=False)
        """,
        "torch.cat([torch.relu(x @ weight) for weight in self.weights], -1)",
        "torch.relu(torch.bmm(x.expand(32, -1, -1), torch.stack(tuple(self.weights))))",
    ),
    "linear_layers_of_a_population": Pair(
        """
        import torch

        def population(x, weights, biases):
            found = []
            for row, weight, bias in zip(x, weights, biases):
                found.append(torch.addmm(bias, row, weight).tanh())
            return torch.stack(found)

        def record(lab):
            return lab.lower(population, torch.randn(48, 8, 16), torch.randn(48, 16, 16),
                             torch.randn(48, 16))
        """,
        """
            found = []
            for row, weight, bias in zip(x, weights, biases):
                found.append(torch.addmm(bias, row, weight).tanh())
            return torch.stack(found)
""",
        """
            return torch.baddbmm(biases[:, None], x, weights).tanh()
""",
    ),
    "image_with_channels_in_front_of_a_strided_copy": Pair(
        """
        import torch
        from torch.nn import functional as F

        def smoothed(images, weight):
            rows = images.permute(3, 2, 0, 1)
            return F.conv2d(rows, weight).amax((-1, -2))

        def record(lab):
            return lab.lower(smoothed, torch.randn(64, 64, 8, 4), torch.randn(4, 8, 3, 3))
        """,
        "torch.randn(64, 64, 8, 4)",
        "torch.randn(4, 64, 64, 8).permute(1, 2, 3, 0)",
    ),
    "causal_attention": Pair(
        """
        import math
        import torch

        def causal(q, k, v):
            scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
            ahead = torch.ones(384, 384, dtype=torch.bool).triu(1)
            return torch.softmax(scores.masked_fill(ahead, float("-inf")), -1) @ v

        def record(lab):
            return lab.lower(causal, *(torch.randn(2, 6, 384, 24) for _ in range(3)))
        """,
        """
            scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
            ahead = torch.ones(384, 384, dtype=torch.bool).triu(1)
            return torch.softmax(scores.masked_fill(ahead, float("-inf")), -1) @ v
""",
        """
            return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
""",
    ),
    "reading_from_a_memory": Pair(
        """
        import torch

        class Memory(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.ask = torch.nn.Linear(32, 32)

            def forward(self, x, keys, values):
                match = torch.bmm(self.ask(x), keys.transpose(1, 2)) * 0.17
                return torch.bmm(match.softmax(2), values)

        def record(lab):
            x = torch.randn(4, 640, 32)
            return lab.lower(Memory(), x, torch.randn_like(x), torch.randn_like(x), grad=False)
        """,
        """
                match = torch.bmm(self.ask(x), keys.transpose(1, 2)) * 0.17
                return torch.bmm(match.softmax(2), values)
""",
        """
                attention = torch.nn.functional.scaled_dot_product_attention
                asked, keys, values = (one[:, None] for one in (self.ask(x), keys, values))
                return attention(asked, keys, values, scale=0.17)[:, 0]
""",
    ),
    "speaker_repeated_for_every_frame": Pair(
        """
        import torch

        def joined(speaker, table):
            every = speaker.repeat_interleave(600, 0)
            return (every @ table).relu().amax(0)

        def record(lab):
            return lab.lower(joined, torch.randn(8, 256), torch.randn(256, 64))
        """,
        """
            every = speaker.repeat_interleave(600, 0)
            return (every @ table).relu().amax(0)
""",
        """
            return (speaker @ table).relu().repeat_interleave(600, 0).amax(0)
""",
    ),
    "class_token_of_an_encoder": Pair(
        """
        import torch

        class Encoder(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = torch.nn.Linear(48, 192)
                self.outer = torch.nn.Linear(192, 10)

            def forward(self, x):
                token = self.inner(x)[:, 0]
                return self.outer(torch.sigmoid(token) * token)

        def record(lab):
            return lab.lower(Encoder(), torch.randn(16, 96, 48), grad=True)
        """,
        "self.inner(x)[:, 0]",
        "self.inner(x)[:, 0].clone()",
    ),
    "norms_of_many_shifts": Pair(
        """
        import torch

        def energies(x, y):
            return [((x - number) * y).abs().amax(-1) for number in range(20)]

        def record(lab):
            return lab.lower(energies, torch.randn(768, 1024), torch.randn(768, 1024))
        """,
        "torch.randn(768, 1024))\n",
        "torch.randn(768, 1024),\n                             "
        'options={"cpp.max_horizontal_fusion_size": 32})\n',
    ),
    "loss_scaled_on_the_host": Pair(
        """
        import torch

        def scaled(logits, scale):
            limits = logits.abs().amax(0, keepdim=True).cpu()
            limits = limits.clamp_min(1e-3).to("cuda")
            return (logits / limits * scale).logsumexp(-1)

        def record(lab):
            return lab.lower(scaled, torch.randn(256, 512), torch.randn(512), target="cuda:sm_90")
        """,
        """.cpu()
            limits = limits.clamp_min(1e-3).to("cuda")
""",
        """
            limits = limits.clamp_min(1e-3)
""",
    ),
}
