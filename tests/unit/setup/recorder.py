"""What setup would do to the computer, written down instead."""

from pathlib import Path

from saint_services.setup.adapters import SetupPaths
from saint_services.setup.boot_setup import BootSetup


class Recorder:
    """Instead of the computer that the test runs on."""

    def __init__(self) -> None:
        self.hostname = ""
        self.targets: tuple[str, ...] = ()

    def set_hostname(self, name: str) -> None:
        self.hostname = name

    def start(self, targets: tuple[str, ...]) -> None:
        self.targets = targets


def run(root: Path) -> tuple[BootSetup, Recorder]:
    recorder = Recorder()
    work = BootSetup(SetupPaths(root), recorder)
    work.run()
    return work, recorder
