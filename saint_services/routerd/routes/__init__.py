"""Routes: validation, mapping of values, compiled plans, presets."""
