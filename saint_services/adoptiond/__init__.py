"""adoptiond: which nodes there are, and who holds which role."""
