"""Messages of the ROS 2 package audio_common_msgs.

Written by `make gen` from manifests/; do not edit.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from ..bus import cdr
from ..bus.message import MessageBase


class AudioData(MessageBase):
    """A piece of sound, as the ROS package audio_common_msgs declares it; AudioInfo says in which form."""

    __slots__ = ("data",)
    TYPE: ClassVar[str] = "audio_common_msgs/msg/AudioData"
    HASH: ClassVar[str] = "RIHS01_a9742fba1567e649bbdba6ae034a72c7ef129b97c7a4da50fd2f3e1bfd8ffa86"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("data", cdr.Sequence("uint8", 0)),)

    def __init__(
        self,
        data: bytes = b"",
    ) -> None:
        self.data = data


class AudioInfo(MessageBase):
    """The form of the sound on the topic beside it, as the ROS package audio_common_msgs declares it."""

    __slots__ = ("channels", "sample_rate", "sample_format", "bitrate", "coding_format")
    TYPE: ClassVar[str] = "audio_common_msgs/msg/AudioInfo"
    HASH: ClassVar[str] = "RIHS01_b3494d204e513d2cceefae1888e5be3da7c8c8ca31eb277f7b5b62f364bcb1fb"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("channels", "uint8"), ("sample_rate", "uint32"), ("sample_format", "string"), ("bitrate", "uint32"), ("coding_format", "string"))

    def __init__(
        self,
        channels: int = 0,
        sample_rate: int = 0,  # Hz
        sample_format: str = "",  # "S16LE"
        bitrate: int = 0,  # bit/s
        coding_format: str = "",  # "wave": samples, not compressed
    ) -> None:
        self.channels = channels
        self.sample_rate = sample_rate
        self.sample_format = sample_format
        self.bitrate = bitrate
        self.coding_format = coding_format
