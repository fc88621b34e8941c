"""How an edited kernel is built, run apart from the program, and put in the place of the first."""
