"""How graph breaks are recorded."""
