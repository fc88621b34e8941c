"""How the steps of Dynamo are recorded."""
