"""What findings foretell of programs that no formula was made on."""
