"""Training in little memory: what lies in it over one step.

`lab.tiny` plans the step ahead of time: the head, the last biases and a quarter of one weight's
channels are updated. **Memory** has a column an operation, the peak marked, and sliders for what
is updated; **Passes** steps through the rewrites with what each won.
"""

import torch

import dynamo_lab as lab
from dynamo_lab.tiny.networks import Block, MobileNetwork

VIEW = "memory"
torch.manual_seed(0)
network = MobileNetwork(8, [Block(1, 3, 8), Block(3, 3, 16, 2), Block(3, 5, 16)], 32, classes=4)
sample = torch.randn(1, 3, 32, 32), torch.tensor([2])
update = {"head.*": "all", "last.bias": "all", "blocks.2.*.bias": "all", "blocks.2.up.weight": 0.25}
rec = lab.tiny(network, sample, update=update, memory="64 kB").timed(*sample)
