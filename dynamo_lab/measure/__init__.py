"""How long things take: devices, rounds, statistics and checks of what was computed."""
