"""OSC as senders write it: packets for tests, made by hand from the specification."""

import struct


def text(value: str) -> bytes:
    data = value.encode() + b"\0"
    return data + b"\0" * (-len(data) % 4)


def message(address: str, *arguments: str | float | int) -> bytes:
    types, data = ",", b""
    for argument in arguments:
        if isinstance(argument, str):
            types, data = types + "s", data + text(argument)
        elif isinstance(argument, int):
            types, data = types + "i", data + struct.pack(">i", argument)
        else:
            types, data = types + "f", data + struct.pack(">f", argument)
    return text(address) + text(types) + data


def bundle(*packets: bytes) -> bytes:
    parts = (struct.pack(">i", len(packet)) + packet for packet in packets)
    return b"#bundle\0" + struct.pack(">Q", 1) + b"".join(parts)


def bone(name: str, x: float = 0.0, y: float = 0.0, z: float = 0.0, w: float = 1.0) -> bytes:
    return message("/VMC/Ext/Bone/Pos", name, 0.0, 0.0, 0.0, x, y, z, w)


def shape(name: str, value: float) -> bytes:
    return message("/VMC/Ext/Blend/Val", name, value)


APPLY = message("/VMC/Ext/Blend/Apply")
