"""The suite: what `torch.compile` does for a list of models, each in its own process.

`models` is the list, `worker` what runs in a process, `runner` starts processes and outlives them,
`results` the facts and their file, `table` their summary.
"""
