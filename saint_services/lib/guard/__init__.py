"""Shared by role processes, the node and the guard: wills, beats, the messages between them.
Standard library only, so that the guard stays small. Not here: the guard (guardd).
"""
