"""What all nouns share: the file format, source texts, links, notes, the environment."""
