"""The fast path, taken in silence.

A transformer's layers are one operator each, or a dozen that the compiler may fuse: PyTorch
decides, and says nothing. **Fast path** has what it decided on the encoder, which computes its
padding when compiled, and on the layers inside of it, which take their operator.
"""

import torch
from torch import nn

import dynamo_lab as lab

VIEW = "fast_path"


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(64, 4, 128, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 3)
        self.head = nn.Linear(64, 2)

    def forward(self, tokens, padding):
        hidden = self.encoder(tokens, src_key_padding_mask=padding)
        return self.head(hidden[:, 0])


padding = torch.zeros(4, 32, dtype=torch.bool)
padding[:, 16:] = True
with torch.no_grad():
    rec = lab.explore(Classifier().eval(), torch.randn(4, 32, 64), padding)
assert [one.call.taken for one in rec.fast_paths] == [False, True, True, True]
