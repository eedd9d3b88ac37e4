"""Adoption: a node joins this server and takes a role, whatever interrupts it."""
