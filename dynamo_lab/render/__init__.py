"""How it looks: a View as terminal text, as one offline page, as a widget. Never imports torch."""
