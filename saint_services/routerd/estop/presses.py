"""Tells a press on the e-stop topic from a sender that repeats it."""

MOST_SENDERS = 64


class PressEdges:
    """Who is sending "true" on the topic, by origin."""

    def __init__(self) -> None:
        self._held: dict[str, None] = {}

    def is_edge(self, origin: str, is_pressed: bool) -> bool:
        """Whether this sample is a new press: the first "true" of a sender, or its first after
        "false". A sender that the list has lost counts as new: that can only stop the robot.
        """
        if not is_pressed:
            self._held.pop(origin, None)
            return False
        if origin in self._held:
            return False
        if len(self._held) >= MOST_SENDERS:
            self._held.pop(next(iter(self._held)))
        self._held[origin] = None
        return True
