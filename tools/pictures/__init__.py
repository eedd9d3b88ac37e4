"""Pictures of the pages for the README."""
