"""Whether this node is under the e-stop, for its guard. Anyone may raise it; it ends only when
every role here says so, for a role obeys a release of its own server's router alone. Pure.
"""


class StopState:
    """The e-stop of one node."""

    def __init__(self) -> None:
        self._is_raised = False
        self._latched: dict[int, bool] = {}  # by the slot of the role

    @property
    def is_active(self) -> bool:
        """Whether the guard has to hold every role at rest."""
        return self._is_raised or any(self._latched.values())

    def raised(self) -> None:
        """Record a stop on the bus, from whomever."""
        self._is_raised = True

    def reported(self, slot: int, is_latched: bool) -> None:
        """Record what a role's gate says. What it has said counts more than what was on the bus."""
        self._latched[slot] = is_latched
        self._is_raised = False

    def gone(self, slot: int) -> None:
        """Forget a role that this node does not hold any more."""
        self._latched.pop(slot, None)
