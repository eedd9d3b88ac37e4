"""teleopd runs only while a user operates the robot from afar: nothing that a page reads at its
opening, and no scrape, reaches the socket that starts it.
"""

import socket
from pathlib import Path

from saint_services.webd.actions import table
from tests.unit.webd.web_rig import Rig

OWN = "teleop"  # the group of its own requests: a client that sends one means it


def counting(runtime: Path) -> socket.socket:
    """The socket as systemd holds it: the first connection would start the daemon."""
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listening.bind(str(runtime / "teleopd.sock"))
    listening.listen(64)
    listening.setblocking(False)
    return listening


def is_connected(listening: socket.socket) -> bool:
    try:
        listening.accept()[0].close()
    except BlockingIOError:
        return False
    return True


async def test_what_pages_and_scrapes_read_starts_no_daemon_that_ends_by_itself(rig: Rig) -> None:
    with counting(rig.robot.runtime) as listening:
        chat = await rig.chat()
        for act in table.every():
            row = act.row
            if row.is_reading and row.group != OWN:  # with parameters missing some are refused
                await chat.request({"type": row.group, "action": row.action, "params": {}})
                assert not is_connected(listening), f"{row.group}/{row.action}"
        for path in ("/metrics", "/api/diagnostics", "/", "/operate"):
            async with rig.http.get(rig.url + path) as reply:
                await reply.read()
            assert not is_connected(listening), path


async def test_request_of_a_person_reaches_it(rig: Rig) -> None:
    with counting(rig.robot.runtime) as listening:
        chat = await rig.chat()
        await chat.socket.send_json({"type": OWN, "action": "list_sessions", "params": {}, "id": 1})
        async with rig.http.get(rig.url + "/metrics") as reply:
            assert reply.ok
        assert is_connected(listening)
