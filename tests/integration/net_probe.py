"""Looks at a firewall from both sides. `listen TCP,.. UDP,..` opens ports and prints the port of
each datagram; `probe ADDRESS TCP,.. UDP,..` sends datagrams, then prints the TCP ports it reaches.
"""

import selectors
import socket
import sys

_WAIT_S = 1.5  # a filtered port does not answer at all


def listen(tcp: list[int], udp: list[int]) -> None:
    ready = selectors.DefaultSelector()
    for port in tcp:
        stream = socket.create_server(("0.0.0.0", port), backlog=16)
        ready.register(stream, selectors.EVENT_READ, 0)
    for port in udp:
        datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        datagrams.bind(("0.0.0.0", port))
        ready.register(datagrams, selectors.EVENT_READ, port)
    print("ready", flush=True)
    while True:
        for key, _ in ready.select():
            found: socket.socket = key.fileobj  # type: ignore[assignment]
            if key.data:
                text = found.recv(100).decode()
                print(f"{key.data} {text}", flush=True)
            else:
                found.accept()[0].close()


def probe(address: str, tcp: list[int], udp: list[int]) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        for port in udp:
            sender.sendto(b"probe", (address, port))
    reached = []
    for port in tcp:
        try:
            socket.create_connection((address, port), timeout=_WAIT_S).close()
            reached.append(port)
        except OSError:
            continue
    print(" ".join(map(str, reached)), flush=True)


def _ports(text: str) -> list[int]:
    return [int(port) for port in text.split(",") if port]


if __name__ == "__main__":
    if sys.argv[1] == "listen":
        listen(_ports(sys.argv[2]), _ports(sys.argv[3]))
    else:
        probe(sys.argv[2], _ports(sys.argv[3]), _ports(sys.argv[4]))
