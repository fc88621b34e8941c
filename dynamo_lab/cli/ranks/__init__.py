"""Jobs of several ranks: run or planned here, or joined from what they recorded elsewhere."""
