"""Output fields: their claims, the one in control, their motion, the commands that carry them."""
