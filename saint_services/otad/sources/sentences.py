"""Says in one sentence what is known of the owner's address. Pure."""

from dataclasses import dataclass

from ...lib.api.update_policy import FetchState
from ..releases.incoming import mib

OFF = "No address is set"


@dataclass(frozen=True, slots=True)
class ImportFacts:
    """What the sentence is made of."""

    state: FetchState  # idle, checking, downloading or verifying
    version: str = ""  # that the address offers
    size_bytes: int = 0  # 0: it is not to be downloaded
    received_bytes: int = 0
    problem: str = ""
    waits_for: str = ""
    checked_s: float | None = None
    next_s: float = 0.0

    @property
    def shown_state(self) -> FetchState:
        """The state for users."""
        if self.state is not FetchState.IDLE:
            return self.state
        if self.problem:
            return FetchState.FAILED
        return FetchState.WAITING if self.size_bytes else FetchState.IDLE

    @property
    def percent(self) -> int:
        return 100 * self.received_bytes // self.size_bytes if self.size_bytes else 0


def text(facts: ImportFacts) -> str:
    """Return the sentence, without its full stop."""
    return f"{_checked(facts)}{_state(facts)}"


def _checked(facts: ImportFacts) -> str:
    if facts.state is FetchState.CHECKING or facts.checked_s is None:
        return ""
    return f"Checked {ago(facts.checked_s)}: "


def _state(facts: ImportFacts) -> str:
    is_first = not _checked(facts)
    found = _found(facts, is_first=is_first)
    match facts.state:
        case FetchState.CHECKING:
            return "Looking for a release now"
        case FetchState.DOWNLOADING:
            return f"{found}, {facts.percent} % of {mib(facts.size_bytes)} downloaded"
        case FetchState.VERIFYING:
            return f"{found}; its signature and content are being checked"
    if facts.problem:
        what = "try" if facts.size_bytes else "look"
        return f"{facts.problem}. Next {what} {_in(facts.next_s)}"
    if facts.size_bytes:
        part = f", {facts.percent} % downloaded" if facts.received_bytes else ""
        return f"{found}{part}; the rest waits: {facts.waits_for or 'next step in a moment'}"
    if facts.checked_s is None:
        waits = f"; {facts.waits_for}" if facts.waits_for else ""
        return f"Not checked since the start{waits}. First look {_in(facts.next_s)}"
    offered = f"{facts.version} is no newer release" if facts.version else "no release is there"
    return f"{offered}. Next look {_in(facts.next_s)}"


def _found(facts: ImportFacts, *, is_first: bool) -> str:
    return f"{'Release ' if is_first else ''}{facts.version} is there"


def ago(seconds: float) -> str:
    """Return "3 h ago"."""
    return "just now" if seconds < 60 else f"{_span(seconds)} ago"


def _in(seconds: float) -> str:
    return "at once" if seconds <= 0 else f"in {_span(seconds + 59)}"


def _span(seconds: float) -> str:
    minutes = int(seconds // 60)
    if minutes < 60:
        return f"{minutes} min"
    hours = minutes // 60
    return f"{hours} h" if hours < 48 else f"{hours // 24} days"
