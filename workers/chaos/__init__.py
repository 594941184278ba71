"""The crash bench: many runs at once, a seeded monkey beside them, and the scoreboard at the end."""
