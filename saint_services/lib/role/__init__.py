"""What the role daemons share: which commands are obeyed and when outputs stop (gate, proof, latch,
session), the connection to the guard, the stream of an assignment (host), how outputs move
(motion). Empty by design: the node uses a few of these and must not load how outputs move.
"""
