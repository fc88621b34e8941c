"""What to show of the steps of Dynamo."""
