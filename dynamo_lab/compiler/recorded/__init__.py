"""What a recording knows of a program: its stages as facts, made only while somebody records."""
