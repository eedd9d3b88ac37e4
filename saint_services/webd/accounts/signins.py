"""Signed-in browsers and when their sign-ins expire. Not here: passwords (passwords.py), cookies
(login.py).
"""

from collections.abc import Iterable
from typing import Self

from pydantic import Field

from ...lib.api.users import TokenId
from .passwords import is_same
from .users import StoredPart

IDLE_LIMIT_S = 7 * 86_400.0  # a browser unused for so long has to sign in again
WHOLE_LIMIT_S = 30 * 86_400.0
SEEN_STEP_S = 3600.0  # precision of the stored `seen_s`: each step is a write on the card
MOST_PER_USER = 16


class SignIn(StoredPart):
    """One signed-in browser. Times are wall times: they outlive a restart."""

    id: TokenId
    digest: str = Field(repr=False)
    user: str  # or the token's id, after a sign-in with a token
    is_token: bool = False
    made_s: float
    seen_s: float
    address: str = ""
    browser: str = ""

    def is_over(self, now_s: float) -> bool:
        """Return whether the sign-in has expired; a clock that was set back expires none."""
        return now_s - self.seen_s > IDLE_LIMIT_S or now_s - self.made_s > WHOLE_LIMIT_S


class SignIns(StoredPart):
    """All signed-in browsers. Each change is a new value."""

    entries: tuple[SignIn, ...] = ()

    def find(self, digest: str, now_s: float) -> SignIn | None:
        """Return the valid sign-in of a digest. All are compared, so that the time reveals
        nothing.
        """
        found = [each for each in self.entries if is_same(each.digest, digest)]
        return found[0] if found and not found[0].is_over(now_s) else None

    def with_entry(self, entry: SignIn) -> Self:
        """Add a sign-in; of too many of one user the longest unused one is removed."""
        own = [e for e in self.entries if (e.user, e.is_token) == (entry.user, entry.is_token)]
        oldest_first = sorted(own, key=lambda each: each.seen_s)
        surplus = oldest_first[: max(0, len(own) + 1 - MOST_PER_USER)]
        return self._of((*(e for e in self.entries if e not in surplus), entry))

    def seen(self, entry: SignIn, now_s: float) -> Self:
        """Note a use; return the same object while the step is too small for a write."""
        if abs(now_s - entry.seen_s) < SEEN_STEP_S:
            return self
        newer = entry.model_copy(update={"seen_s": now_s})
        return self._of(newer if each == entry else each for each in self.entries)

    def without(self, *ids: str) -> Self:
        """Remove sign-ins by their ids."""
        return self._of(each for each in self.entries if each.id not in ids)

    def without_user(self, user: str, *, is_token: bool = False, but: str = "") -> Self:
        """Remove all sign-ins of a user or a token, except `but`."""
        return self._of(
            each
            for each in self.entries
            if (each.user, each.is_token) != (user, is_token) or each.id == but
        )

    def current(self, now_s: float) -> Self:
        """Remove expired sign-ins."""
        left = tuple(each for each in self.entries if not each.is_over(now_s))
        return self if len(left) == len(self.entries) else self._of(left)

    def _of(self, entries: Iterable[SignIn]) -> Self:
        return self.model_copy(update={"entries": tuple(entries)})
