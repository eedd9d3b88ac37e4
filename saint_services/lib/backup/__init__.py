"""Backups of a whole robot. Each daemon gives its own state away and takes it back (sections.py);
webd puts all of it into one file (archive.py). No program reads another one's files.
"""
