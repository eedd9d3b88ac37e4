"""`saintctl board`: recordings of the link between the wagon's boards."""
