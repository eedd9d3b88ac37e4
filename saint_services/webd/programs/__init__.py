"""The owner's programs: their folders, tokens, starts and states."""
