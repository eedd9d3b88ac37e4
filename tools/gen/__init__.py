"""Writes saint_services/lib/generated from manifests/. Run it with `make gen`."""
