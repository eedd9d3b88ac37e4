"""Users, tokens and sign-ins, and the check of every request."""
