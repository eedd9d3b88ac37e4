"""Backups of a whole robot. Each daemon exports and restores its own state (sections.py); webd puts
all of it into one file (archive.py). No program reads the files of another one.
"""
