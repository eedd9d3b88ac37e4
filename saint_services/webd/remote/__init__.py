"""Remote masters and slaves: programs and other robots that command an arm of this robot over a
WebSocket, or follow it. Everything goes through the router.
"""
