"""`saintctl firmware`: releases, roll-outs, and which machine runs which release."""
