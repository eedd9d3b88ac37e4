"""`saintctl livelink`: face and body capture: subjects, senders, recordings."""
