"""Written by `make gen` from manifests/; change those, not this."""
