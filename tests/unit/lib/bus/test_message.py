"""The generated message classes: compared, shown and copied as dataclasses are."""

import copy
import pickle
from dataclasses import asdict, fields, is_dataclass, replace

import pytest

from saint_services.lib.generated.builtin_interfaces import Time
from saint_services.lib.generated.geometry_msgs import Twist, Vector3
from saint_services.lib.generated.saint_msgs import ArmCommand, HeadCommand
from saint_services.lib.generated.std_msgs import Header


def test_messages_are_equal_when_type_and_fields_are() -> None:
    assert Time(1, 2) == Time(1, 2)
    assert Time(1, 2) != Time(1, 3)
    assert Header(stamp=Time(1)) == Header(stamp=Time(1))
    assert Header(stamp=Time(1)) != Header(stamp=Time(2))
    assert ArmCommand() != HeadCommand()
    assert ArmCommand() != object()


def test_message_inside_belongs_to_one_message() -> None:
    first, second = Twist(), Twist()
    first.linear.x = 1.0
    assert second.linear.x == 0.0
    assert Twist(linear=Vector3(2.0)).linear == Vector3(x=2.0)


def test_message_can_be_changed_so_it_has_no_hash() -> None:
    with pytest.raises(TypeError):
        hash(Time())


def test_field_that_it_does_not_have_is_refused() -> None:
    with pytest.raises(AttributeError):
        Time().minutes = 1  # type: ignore[attr-defined]
    with pytest.raises(TypeError):
        Time(minutes=1)  # type: ignore[call-arg]


def test_functions_of_dataclasses_work_with_it() -> None:
    assert is_dataclass(Header)
    assert [each.name for each in fields(Header)] == ["stamp", "frame_id"]
    assert replace(Header(frame_id="base_link"), stamp=Time(3)) == Header(Time(3), "base_link")
    assert asdict(Header(Time(3), "base_link")) == {
        "stamp": {"sec": 3, "nanosec": 0},
        "frame_id": "base_link",
    }
    assert [each.name for each in fields(Time)] == ["sec", "nanosec"]  # each class has its own


def test_copies_are_equal() -> None:
    message = Header(Time(3), "base_link")
    deep = copy.deepcopy(message)
    assert deep == message and deep.stamp is not message.stamp
    assert pickle.loads(pickle.dumps(message)) == message


def test_text_names_the_fields() -> None:
    assert repr(Time(3)) == "Time(sec=3, nanosec=0)"
