"""Remote operation: the bytes that an operator and a walking robot exchange."""
