"""What `TORCH_LOGS` prints, beside the views.

Each message of PyTorch's logs stands beside the view that shows the same of this program, and the
line that it names. **Messages** finds those of one log, or the words in them.
"""

import torch

import dynamo_lab as lab

VIEW = "logs"


def normalised(x):
    y = torch.relu(x) + 1
    if y.sum() > 0:
        y = y.softmax(-1)
    return y.square().mean()


names = "graph_breaks,graph_code,guards,fusion,output_code"
rec = lab.explore(normalised, torch.randn(64, 128), logs=names)
assert {record.name for record in rec.logs} == set(names.split(","))
