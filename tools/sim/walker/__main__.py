"""python -m tools.sim.walker: a walking controller for a simulated board, or for any program.

python -m tools.sim.walker --board .run/asimov/legs/hw
python -m tools.sim.walker --protocol asimov_io --command-port 8850 --state-port 8851
"""

import argparse
import signal
from pathlib import Path

from saint_services.lib.walker.model import JOINT_COUNTS, Protocol

from .plant import WalkerPlant
from .process import Place, WalkerProcess


def main() -> None:
    """Run until stopped."""
    parser = argparse.ArgumentParser(prog="python -m tools.sim.walker", description=__doc__)
    add = parser.add_argument
    add("--board", type=Path, help="folder of a simulated board, which names the ports")
    add("--protocol", type=Protocol, choices=list(Protocol), default=Protocol.IO)
    add("--command-port", type=int, default=0, help="0: any free one")
    add("--state-port", type=int, default=0)
    add("--joints", type=int, choices=JOINT_COUNTS, default=12)
    add("--battery", type=float, default=100.0, help="charge in percent")
    options = parser.parse_args()
    ended: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.append(1))
    place = Place(
        command_port=options.command_port, state_port=options.state_port, board=options.board
    )
    plant = WalkerPlant(options.joints, options.battery / 100.0)
    process = WalkerProcess(options.protocol, plant, place)
    try:
        process.run(lambda: bool(ended))
    finally:
        process.close()


if __name__ == "__main__":
    main()
