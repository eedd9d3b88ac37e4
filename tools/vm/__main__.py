"""Boot an image and watch it: `python -m tools.vm build/image/disk.img --role server`.

Prints the serial console. With `--sh COMMAND` it runs that as root once the machine is up,
prints what it says, and ends.
"""

import argparse
import sys
import tempfile
import threading
from pathlib import Path

from .disk import Card
from .machine import Machine
from .programs import Programs
from .settings import Hardware, boot_env, saint_yaml


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.vm", description=__doc__)
    parser.add_argument("image", type=Path)
    parser.add_argument("--role", choices=("server", "node", "both"), default="both")
    parser.add_argument("--sh", default="", help="run this as root when it is up, then end")
    parser.add_argument("--ssh-port", type=int, default=2222)
    parser.add_argument("--web-port", type=int, default=8000)
    parser.add_argument("--kernel", default="", help="more words for the kernel's command line")
    parser.add_argument("--key", default="", help="public ssh key of the machine's user")
    parser.add_argument("--card-mib", type=int, default=4096, help="size of the card")
    return parser.parse_args()


def _boot(chosen: argparse.Namespace, folder: Path) -> int:
    programs = Programs.find()
    card = Card.copy(chosen.image, folder / "card.img", programs, chosen.card_mib)
    keys = {"ssh_keys": [chosen.key]} if chosen.key else {}
    card.put(
        {"saint.yaml": saint_yaml(chosen.role, **keys), "boot.env": boot_env(more=chosen.kernel)}
    )
    ports = {22: chosen.ssh_port, 80: chosen.web_port}
    hardware = Hardware(f"saint-{chosen.role}", ports=ports)
    machine = Machine(hardware, card.overlay(folder / "disk.qcow2"), folder / "machine")
    machine.start()
    try:
        threading.Thread(target=_show, args=(machine,), daemon=True).start()
        print(f"systemd says: {machine.wait_up()}", flush=True)
        if not chosen.sh:
            threading.Event().wait()
        result = machine.shell.run(chosen.sh, 300)
        print(result.text)
        return result.code
    except KeyboardInterrupt:
        return 0
    finally:
        machine.cut()


def _show(machine: Machine) -> None:
    """Print the console as it comes, until the machine is off."""
    shown = 0
    while machine.is_on:
        text = machine.serial.news(shown)
        shown += len(text)
        sys.stdout.write(text.decode(errors="replace"))
        sys.stdout.flush()


def main() -> int:
    chosen = _arguments()
    if not chosen.image.is_file():
        print(f"There is no image at {chosen.image}. Build one: make image", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="saint-vm-", dir="/var/tmp") as folder:
        return _boot(chosen, Path(folder))


if __name__ == "__main__":
    sys.exit(main())
