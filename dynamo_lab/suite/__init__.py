"""The suite: what `torch.compile` does for a list of models, each in a process of its own.

`models` is the list, `worker` what runs in a process, `runner` starts processes and outlives them,
`results` the facts and their file, `table` what they come to.
"""
