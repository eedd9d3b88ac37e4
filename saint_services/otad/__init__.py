"""otad: which releases there are, which machine runs which, how a new one reaches them all."""
