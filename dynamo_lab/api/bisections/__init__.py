"""Why a compiled program is wrong, as the user gets it."""
