"""Multicast as a switch sees it. `join GROUP ADDRESS` joins until its input ends; `query GROUP
ADDRESS` queries as a snooping switch does, and prints whether the group was reported.
"""

import select
import socket
import sys
from time import monotonic

_QUIET_S = 2.5  # reports of the join itself: two within a second
_ANSWER_S = 3.0
_ROUTER_ALERT = b"\x94\x04\x00\x00"
_QUERY = b"\x11\x05\xee\xfa" + bytes(4)  # IGMPv2, general, answers within 0.5 s


def join(group: str, address: str) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as member:
        joined = socket.inet_aton(group) + socket.inet_aton(address)
        member.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, joined)
        print("ready", flush=True)
        sys.stdin.read()


def query(group: str, address: str) -> None:
    every_packet = socket.htons(3)  # ETH_P_ALL
    with (
        socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, every_packet) as watch,
        socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_IGMP) as querier,
    ):
        while _is_reported(watch, group, _QUIET_S):
            pass
        source = socket.inet_aton(address)
        querier.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, source)
        querier.setsockopt(socket.IPPROTO_IP, socket.IP_OPTIONS, _ROUTER_ALERT)
        querier.sendto(_QUERY, ("224.0.0.1", 0))
        print("reported" if _is_reported(watch, group, _ANSWER_S) else "silent", flush=True)


def _is_reported(watch: socket.socket, group: str, limit_s: float) -> bool:
    end_s = monotonic() + limit_s
    while (left_s := end_s - monotonic()) > 0:
        if not select.select([watch], [], [], left_s)[0]:
            return False
        packet, where = watch.recvfrom(2048)
        is_igmp = len(packet) > 20 and packet[9] == socket.IPPROTO_IGMP
        is_other = where[2] != 4  # PACKET_OUTGOING
        if is_igmp and is_other and socket.inet_aton(group) in packet[20:]:
            return True
    return False


if __name__ == "__main__":
    {"join": join, "query": query}[sys.argv[1]](*sys.argv[2:4])
