"""Whether a time server has set this machine's clock."""

import pytest

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.update.dbus import CallError
from saint_services.otad.adapters.clock import is_set


class FakeBus:
    def __init__(self, answer: object) -> None:
        self.answer = answer

    async def call(self, *_: object, **__: object) -> tuple[object, ...]:
        if isinstance(self.answer, Exception):
            raise self.answer
        return (self.answer,)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (True, True),
        (False, False),
        (CallError("org.freedesktop.DBus.Error.ServiceUnknown", "no such service"), False),
        (SaintError(Code.DAEMON_UNREACHABLE, "no bus"), False),
    ],
)
async def test_clock_counts_as_set_only_where_the_system_says_so(
    answer: object, expected: bool
) -> None:
    assert await is_set(FakeBus(answer)) is expected
