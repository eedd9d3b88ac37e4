"""`saintctl doctor`: checks the whole robot and names the remedy for each fault."""
