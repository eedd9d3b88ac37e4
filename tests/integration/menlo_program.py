"""A program of menlo-sdk, unmodified, that a test starts with the Python of build/menlo: it prints
what it has reached, one word a line. Arguments: command, state and version port; then what to do.
"""

import sys

from menlo.asimov import Robot  # type: ignore[import-not-found]  # in build/menlo alone
from menlo.asimov.transport.udp import UdpTransport  # type: ignore[import-not-found]


def say(word: object) -> None:
    print(word, flush=True)


command, state, version = map(int, sys.argv[1:4])
robot = Robot(
    UdpTransport(
        "127.0.0.1", command_port=command, state_bind=("127.0.0.1", state), version_port=version
    )
)
robot.open(timeout=10.0)
say("open")
robot.damp()
robot.stand(timeout=30.0)
say("stand")
robot.balance(timeout=20.0)
say("balance")
if sys.argv[4] == "walk":
    robot.set_velocity(0.3, 0.0, 0.0, duration=1.5)
    say("walked")
    robot.damp()
    say("damp")
    robot.close()
else:
    robot.set_velocity(0.3, 0.0, 0.0, wait=False)  # held: sent again and again
    say("walking")
    sys.stdin.read()  # until it is killed
