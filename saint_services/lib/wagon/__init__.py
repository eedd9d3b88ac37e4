"""The wagon (SAUL-TEE): the frames on its CAN bus and on the link between its two boards.

Each table is the only declaration of its ids and bytes; the boards' firmware is made of it too.
"""
