"""How much of a distributed step's communication is hidden, by how it is asked for."""
