"""What a role process, the node and the guard share: the will, the beat, the messages between them.
Standard library only, so that the guard stays small. Not here: the guard itself (guardd).
"""
