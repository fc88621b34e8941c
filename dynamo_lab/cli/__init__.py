"""The commands of `dynamo-lab`."""
