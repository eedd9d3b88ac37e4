"""Real ports of a Raspberry Pi. Libraries are imported when a board is opened, not before."""
