"""Requests addresses by name, as a computer does that has chosen or had one: `WAIT_S REQUEST ...`,
each `ADDRESS` (it had this one) or `ADDRESS@SERVER` (it has chosen the offer of SERVER). Prints the
kinds of the replies to each: "ack", "nak".
"""

import socket
import struct
import sys
import time

_KINDS = {5: "ack", 6: "nak"}  # RFC 2132, 9.6
_MAC = bytes.fromhex("02aabbccdd01")


def request(number: int, address: str, server: str) -> bytes:
    head = struct.pack("!BBBBIHH16s16s192x", 1, 1, 6, 0, number, 0, 0x8000, b"", _MAC)
    options = b"\x63\x82\x53\x63" + bytes([53, 1, 3]) + b"\x32\x04" + socket.inet_aton(address)
    named = b"\x36\x04" + socket.inet_aton(server) if server else b""
    return (head + options + named + b"\xff").ljust(300, b"\0")


def replies(client: socket.socket, number: int, wait_s: float) -> list[str]:
    """The kinds of the replies within that time."""
    found, end_s = [], time.monotonic() + wait_s
    while (left_s := end_s - time.monotonic()) > 0:
        client.settimeout(left_s)
        try:
            data = client.recv(2048)
        except TimeoutError:
            break
        if int.from_bytes(data[4:8]) == number:
            found.append(_KINDS[data[data.index(b"\x35\x01", 240) + 2]])
    return found


def main(wait_s: str, *requests: str) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"eth0")
        client.bind(("0.0.0.0", 68))
        for number, each in enumerate(requests, start=1):
            address, _, server = each.partition("@")
            client.sendto(request(number, address, server), ("255.255.255.255", 67))
            print(*replies(client, number, float(wait_s)), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
