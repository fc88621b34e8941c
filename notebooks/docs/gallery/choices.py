"""What was chosen without a word, in a small image model under autocast.

Nothing in this program asks for a kernel of attention, for channels last or for bfloat16 in
particular operators. **Choices** lists what PyTorch chose, each with its line, its reason and what
came of it; Attention, Operators and Passes have the rest.
"""

import torch
import torch.nn.functional as F
from torch import nn

import dynamo_lab as lab

VIEW = "choices"


class Patches(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Conv2d(3, 32, 4, stride=4)
        self.local = nn.Conv2d(32, 32, 3, padding=1)
        self.mix = nn.Linear(64, 64)

    def forward(self, image):
        patches = self.embed(image)
        both = torch.cat([patches, self.local(patches)], 1).flatten(2).mT
        with torch.autocast("cpu", torch.bfloat16):
            mixed = self.mix(both)
            seen = F.scaled_dot_product_attention(mixed, mixed, mixed)
        return seen.float().mean(1)


rec = lab.explore(Patches().eval(), torch.randn(2, 3, 32, 32))
