"""Answers to a FlySky receiver's polls, against the bytes of Betaflight's tests."""

import pytest

from saint_services.rcd.protocols.ibus import MOST_POLLS, IbusParser
from saint_services.rcd.protocols.ibus_telemetry import SENSORS, IbusSensors, SensorType

VALUES = (100, 0, 67, 150, 1)


def answers(poll: str, now_us: int = 0, values: tuple[int, ...] = VALUES) -> list[str]:
    """What goes out for the bytes that came in."""
    parser, sensors = IbusParser(), IbusSensors()
    assert parser.feed(bytes.fromhex(poll), now_us) == []
    return [sensors.reply(each, values, now_us).hex() for each in parser.take_polls()]


@pytest.mark.parametrize(
    ("poll", "reply"),
    [
        ("04817aff", "04817aff"),  # is there a sensor 1?
        ("048378ff", "048378ff"),
        ("04916aff", "0691030263ff"),  # its type: external voltage
        ("04a15aff", "06a16400f4fe"),  # 1.00 V
    ],
)
def test_polls_have_the_published_answers(poll: str, reply: str) -> None:
    assert answers(poll) == [reply]


def test_value_of_nothing_is_the_published_zero() -> None:
    assert answers("04a15aff", values=(0,) * 5) == ["06a1000058ff"]


def test_poll_with_a_wrong_sum_has_no_answer() -> None:
    assert answers("04810000") == []


@pytest.mark.parametrize("poll", [0x80, 0x86, 0x8F, 0x96, 0xA6, 0xB1, 0x01])
def test_other_addresses_and_commands_have_no_answer(poll: int) -> None:
    assert IbusSensors().reply(poll, VALUES, 0) == b""


def test_echo_of_a_discovery_is_not_answered_but_the_next_poll_is() -> None:
    sensors = IbusSensors()
    assert sensors.reply(0x81, VALUES, 0)
    assert sensors.reply(0x81, VALUES, 600) == b""
    assert sensors.reply(0x81, VALUES, 7_000)
    assert sensors.reply(0x81, VALUES, 7_600) == b""


def test_every_sensor_has_a_type_and_a_value() -> None:
    sensors = IbusSensors()
    for address, kind in enumerate(SENSORS, 1):
        assert sensors.reply(0x90 | address, VALUES, 0)[2:4] == bytes([kind, 2])
        found = sensors.reply(0xA0 | address, VALUES, 0)
        assert int.from_bytes(found[2:4], "little") == VALUES[address - 1]
    assert SENSORS[0] is SensorType.VOLTAGE


def test_polls_among_channels_are_few_and_forgotten_at_a_reset() -> None:
    parser = IbusParser()
    parser.feed(bytes.fromhex("04817aff") * 20, 0)
    assert len(parser.take_polls()) == MOST_POLLS
    parser.feed(bytes.fromhex("04817aff"), 0)
    parser.reset()
    assert parser.take_polls() == []
