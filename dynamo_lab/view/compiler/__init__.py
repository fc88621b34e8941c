"""The stages of the backend `lab`, and what came of a change of them."""
