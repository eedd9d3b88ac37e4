"""Conversion to and from rclpy's classes, with fakes that are equally strict."""

import array
from collections.abc import Iterator
from types import ModuleType
from typing import Any, ClassVar

import pytest

from saint_services.lib.bus.ros import messages as ros_messages
from saint_services.lib.bus.ros.inbox import Echoes
from saint_services.lib.bus.ros.messages import from_ros, ros_class, to_ros
from saint_services.lib.errors import SaintError
from saint_services.lib.generated.builtin_interfaces import Time
from saint_services.lib.generated.nav_msgs import Odometry
from saint_services.lib.generated.saint_msgs import InputSample
from saint_services.lib.generated.sensor_msgs import CompressedImage
from saint_services.lib.generated.std_msgs import Empty, Header


class Strict:
    """Like an rclpy message: rejects unknown fields and wrong types."""

    kinds: ClassVar[dict[str, type]] = {}

    def __setattr__(self, name: str, value: Any) -> None:
        assert isinstance(value, self.kinds[name]), name
        super().__setattr__(name, value)


def fake(**kinds: type) -> type[Strict]:
    return type("Fake", (Strict,), {"kinds": kinds})


class FakeTime(Strict):
    kinds: ClassVar[dict[str, type]] = {"sec": int, "nanosec": int}


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    module = ModuleType("builtin_interfaces.msg")
    module.Time = FakeTime  # type: ignore[attr-defined]
    monkeypatch.setattr(ros_messages, "import_module", lambda name: {module.__name__: module}[name])
    ros_messages._setters.cache_clear()
    yield
    ros_messages._setters.cache_clear()


@pytest.mark.usefixtures("installed")
def test_input_sample_there_and_back() -> None:
    made = fake(
        stamp=FakeTime, source=str, sequence=int, failsafe=bool, target=str, names=list, values=list
    )()
    ours = InputSample(Time(1, 2), "rc", 3, True, "", ("a", "b"), (1, 0.5))
    filled = to_ros(ours, made)
    assert filled is made
    assert filled.values == [1.0, 0.5]
    assert all(type(value) is float for value in filled.values)
    filled.__dict__["values"] = array.array("f", [1.0, 0.5])  # as rclpy keeps them
    assert from_ros(InputSample, filled) == ours


def test_bytes_come_back_as_bytes() -> None:
    made = fake(header=object, format=str, data=object)()
    header = fake(stamp=object, frame_id=str)()
    header.stamp, header.frame_id = FakeTime(), "camera"
    header.stamp.sec, header.stamp.nanosec = 1, 2
    made.header, made.format, made.data = header, "jpeg", array.array("B", b"\1\2")
    assert from_ros(CompressedImage, made) == CompressedImage(
        Header(Time(1, 2), "camera"), "jpeg", b"\1\2"
    )


def test_placeholder_of_empty_messages_is_hidden() -> None:
    assert to_ros(Empty(), fake()()).__dict__ == {}
    assert from_ros(Empty, object()) == Empty()


def test_missing_interface_package_says_what_to_do() -> None:
    with pytest.raises(SaintError, match="no_such_msgs/msg/Thing") as caught:
        ros_class("no_such_msgs/msg/Thing")
    assert "colcon" in caught.value.fix


def test_every_kind_of_field_has_both_directions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ros_messages, "ros_class", lambda _name: Strict)
    ros_messages._setters.cache_clear()
    assert len(ros_messages._setters(Odometry)) == len(Odometry.FIELDS)
    assert len(ros_messages._getters(Odometry)) == len(Odometry.FIELDS)
    ros_messages._setters.cache_clear()


def test_echo_is_recognised_once_and_only_in_time() -> None:
    echoes = Echoes()
    echoes.sent(b"a", 0.0)
    echoes.sent(b"b", 0.1)
    assert not echoes.is_own(b"c", 0.2)
    assert echoes.is_own(b"b", 0.2)
    assert not echoes.is_own(b"b", 0.2)
    assert not echoes.is_own(b"a", 5.0)
