"""Which capture senders may move the robot: rules, without sockets."""

import itertools

import pytest

from saint_services.livelinkd.config import Config
from saint_services.livelinkd.logic import LONG_NAME
from saint_services.livelinkd.protocols import Frame, Refused
from saint_services.livelinkd.senders.acceptance import (
    CODE_LENGTH,
    EVERY,
    MAX_ACCEPTED,
    MAX_WAITING,
    MAX_WAITING_OF_ONE,
    SenderGate,
    SenderKey,
)
from saint_services.livelinkd.senders.limits import NOT_ACCEPTED
from saint_services.livelinkd.senders.phones import known_senders

PHONE = SenderKey("llf", "192.168.1.50", "Anna")
CODE = "abcdefgh23"


def frame(subject: str = "Anna") -> Frame:
    return Frame(subject, "phone", "face", 1, 0.0, (60, 1), ("jawOpen",), (0.5,))


def passes(
    gate: SenderGate, subject: str = "Anna", format: str = "llf", ip: str = PHONE.ip
) -> bool:
    return gate.refusal(frame(subject), format, ip, 1.0) is None


def test_unknown_sender_is_refused_and_shown() -> None:
    gate = SenderGate()
    assert not passes(gate)
    assert not passes(gate)
    ((key, waiting),) = gate.shown(1.0)
    assert (key, waiting.frames, waiting.frame.values) == (PHONE, 2, (0.5,))


def test_accepted_sender_passes_and_no_longer_waits() -> None:
    gate = SenderGate()
    passes(gate)
    gate.accept(PHONE, 1.7e9)
    assert passes(gate)
    assert not list(gate.shown(1.0))


@pytest.mark.parametrize(
    ("subject", "format", "ip"),
    [("Anne", "llf", PHONE.ip), ("Anna", "json", PHONE.ip), ("Anna", "llf", "192.168.1.51")],
)
def test_sender_that_differs_in_one_thing_is_another_one(
    subject: str, format: str, ip: str
) -> None:
    gate = SenderGate(accepted={PHONE: 0.0})
    assert not passes(gate, subject, format, ip)


@pytest.mark.parametrize("subject", ["Anna-abcdefgh23", "Anna abcdefgh23", "AnnaABCDEFGH23"])
def test_code_at_the_end_of_the_name_is_accepted_and_cut_off(subject: str) -> None:
    sent = frame(subject)
    gate = SenderGate(code=CODE)
    assert gate.refusal(sent, "llf", PHONE.ip, 1.0) is None
    assert sent.subject == "Anna"


@pytest.mark.parametrize(
    "subject",
    ["Anna", "Anna-abcdefgh2", "abcdefgh23-Anna", "", "a" * 200 + CODE, "Änna-äbcdefgh23"],
)
def test_name_without_the_whole_code_at_its_end_is_refused(subject: str) -> None:
    assert not passes(SenderGate(code=CODE), subject)


def test_code_is_cut_off_where_the_settings_accept_the_sender_anyway() -> None:
    sent = frame(f"Anna-{CODE}")  # a viewer of the page reads subjects, and must not read the code
    gate = SenderGate(settings=frozenset({SenderKey("llf", PHONE.ip, EVERY)}), code=CODE)
    assert gate.refusal(sent, "llf", PHONE.ip, 1.0) is None
    assert sent.subject == "Anna"


def test_robot_without_a_code_accepts_nobody_by_name() -> None:
    assert not passes(SenderGate(), "")
    assert not passes(SenderGate(), "Anna")


def test_check_that_is_off_lets_everybody_pass() -> None:
    assert passes(SenderGate(accepts_all=True), "Eve")


def test_flood_of_unknown_senders_stays_bounded_and_keeps_who_was_there() -> None:
    gate = SenderGate()
    passes(gate)
    for number in range(10_000):
        gate.refusal(frame(f"s{number}"), "llf", f"10.{number >> 8 & 255}.{number & 255}.1", 1.5)
    waiting = dict(gate.shown(1.5))
    assert len(waiting) == MAX_WAITING
    assert PHONE in waiting


def test_one_address_does_not_fill_the_list() -> None:
    gate = SenderGate()
    for number in range(100):
        gate.refusal(frame(f"s{number}"), "llf", "10.0.0.1", 1.0)
    passes(gate)
    waiting = dict(gate.shown(1.0))
    assert len(waiting) == MAX_WAITING_OF_ONE + 1 and PHONE in waiting


def test_new_sender_takes_the_place_of_a_silent_one() -> None:
    gate = SenderGate()
    for number in range(MAX_WAITING):
        gate.refusal(frame(), "llf", f"10.0.0.{number}", 1.0)
    gate.refusal(frame(), "llf", PHONE.ip, 2.9)
    assert PHONE not in gate.waiting
    gate.refusal(frame(), "llf", PHONE.ip, 3.0)
    assert PHONE in gate.waiting and len(gate.waiting) == MAX_WAITING


def test_sender_that_went_silent_is_no_longer_shown() -> None:
    gate = SenderGate()
    passes(gate)
    assert list(gate.shown(10.9))
    assert not list(gate.shown(11.0))


def test_senders_of_the_settings_are_known() -> None:
    config = Config.model_validate(
        {
            "senders": [
                {"format": "json", "address": "10.0.0.1", "subject": "Bob"},
                {"format": "lines", "address": "10.0.0.2"},
            ],
            "formats": {
                "vmc": {"names": {"10.0.0.3": "Ann"}},
                "ifacialmocap": {"phones": ["10.0.0.4:5000"]},
            },
        }
    )
    known = known_senders(config)
    assert known == {
        SenderKey("json", "10.0.0.1", "Bob"),
        SenderKey("lines", "10.0.0.2", EVERY),
        SenderKey("vmc", "10.0.0.3", EVERY),
        SenderKey("ifacialmocap", "10.0.0.4", EVERY),
    }
    gate = SenderGate(settings=known)
    passing = [
        (f, ip, s)
        for f, ip, s in itertools.product(
            ("json", "lines"), ("10.0.0.1", "10.0.0.2"), ("Bob", "Eve")
        )
        if passes(gate, s, f, ip)
    ]
    assert passing == [
        ("json", "10.0.0.1", "Bob"), ("lines", "10.0.0.2", "Bob"), ("lines", "10.0.0.2", "Eve"),
    ]  # fmt: skip


def test_numbers_are_these() -> None:
    assert (MAX_ACCEPTED, MAX_WAITING, MAX_WAITING_OF_ONE, CODE_LENGTH) == (64, 32, 4, 10)


@pytest.mark.parametrize(
    ("times_s", "rate_hz"),
    [
        ([1.0], 0.0),
        ([1.0, 1.0], 0.0),  # two frames in one datagram
        ([1.0, 1.5], 2.0),
        ([1.0, 1.5, 2.5], 4 / 3),
    ],
)
def test_rate_of_a_waiting_sender_is_the_mean_since_its_first_frame(
    times_s: list[float], rate_hz: float
) -> None:
    gate = SenderGate()
    for at_s in times_s:
        gate.refusal(frame(), "llf", PHONE.ip, at_s)
    assert gate.waiting[PHONE].rate_hz() == pytest.approx(rate_hz)


def test_accepted_sender_keeps_a_name_that_ends_with_the_code() -> None:
    sent = frame(f"Anna-{CODE}")
    known = SenderKey("llf", PHONE.ip, sent.subject)
    gate = SenderGate(code=CODE, accepted={known: 0.0})
    assert gate.refusal(sent, "llf", PHONE.ip, 1.0) is None
    assert sent.subject == f"Anna-{CODE}"
    assert not gate.with_code


@pytest.mark.parametrize(("length", "reason"), [(100, NOT_ACCEPTED), (101, LONG_NAME)])
def test_name_of_up_to_100_characters_is_shown(length: int, reason: Refused) -> None:
    gate = SenderGate()
    assert gate.refusal(frame("a" * length), "llf", PHONE.ip, 1.0) == reason
    assert bool(gate.waiting) is (reason == NOT_ACCEPTED)


@pytest.mark.parametrize(("length", "is_accepted"), [(100, True), (101, False)])
def test_code_counts_in_a_name_of_up_to_100_characters(length: int, is_accepted: bool) -> None:
    assert passes(SenderGate(code=CODE), "a" * (length - 10) + CODE) is is_accepted


def test_senders_with_the_code_are_listed_and_the_oldest_goes_first() -> None:
    gate = SenderGate(code=CODE)
    for number in range(64):
        assert passes(gate, f"s{number}-{CODE}")
    assert passes(gate, f"s5-{CODE}")  # one of them again
    assert [key.subject for key in gate.with_code] == [f"s{number}" for number in range(64)]
    assert passes(gate, f"s64-{CODE}")
    assert [key.subject for key in gate.with_code] == [f"s{number}" for number in range(1, 65)]


def test_new_sender_takes_the_place_of_the_one_that_was_silent_for_longest() -> None:
    gate = SenderGate()
    for number, at_s in enumerate((2.0, 1.0, 3.0, 4.0)):
        gate.refusal(frame(f"s{number}"), "llf", PHONE.ip, at_s)
    gate.refusal(frame("new"), "llf", PHONE.ip, 4.0)
    assert [key.subject for key in gate.waiting] == ["s0", "s2", "s3", "new"]
