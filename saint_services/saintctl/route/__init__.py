"""`saintctl route`: which input drives which output, and why."""
