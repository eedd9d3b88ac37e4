"""The computer that a process runs on: identity, load, network, power, real-time priority."""
