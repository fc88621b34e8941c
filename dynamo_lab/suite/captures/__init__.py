"""How much of a corpus is captured: by Dynamo, TorchScript and `torch.export`."""
