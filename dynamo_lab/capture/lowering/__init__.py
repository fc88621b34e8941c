"""How lowering to loop IR is recorded."""
