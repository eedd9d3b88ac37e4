"""The programs of SAINT.OS: one folder is one process; lib is what they share."""
