"""The commands of `dynamo-lab`, a file each; `parser` lists them."""
