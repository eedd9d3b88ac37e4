"""`saintctl log` and `saintctl audit`: log lines, activity, and who did what."""
