"""What a board reads before the system runs: boot loader, firmware, initial RAM disk."""
