"""Output fields: what claims them, who drives them, how they move, the commands they leave in."""
