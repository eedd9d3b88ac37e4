"""Writing the image to a card: which disk, from which file, with which settings on it."""
