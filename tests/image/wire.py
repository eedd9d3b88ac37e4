"""Counts what a machine receives from the robot's release server: its firewall counts the packets
from that port, so that the robot's own talk, which goes on meanwhile, is not in the figure.
"""

import json

from tests.image.rig import Host

_PORT = 8080  # otad's
_TABLE = "inet release_traffic"


def count_from_now(host: Host) -> None:
    """Begin at zero."""
    host.sh(f"nft delete table {_TABLE} 2>/dev/null || true")
    host.sh(f"nft add table {_TABLE}")
    host.sh(f"nft 'add chain {_TABLE} c {{ type filter hook input priority -300; }}'")
    host.sh(f"nft add rule {_TABLE} c tcp sport {_PORT} counter")


def received_bytes(host: Host) -> int:
    """Of IP packets with their headers, since then."""
    table = json.loads(host.sh(f"nft -j list table {_TABLE}"))
    rules = [entry["rule"] for entry in table["nftables"] if "rule" in entry]
    (counter,) = [part["counter"] for rule in rules for part in rule["expr"] if "counter" in part]
    return int(counter["bytes"])
