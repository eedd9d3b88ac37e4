"""Who may use this robot: users, tokens, sign-ins, and the check of every request."""
