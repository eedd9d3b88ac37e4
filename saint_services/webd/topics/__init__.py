"""The topics that clients subscribe: newest states, their sources and their history."""
