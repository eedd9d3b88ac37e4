"""`saintctl link`: remote masters and slaves."""
