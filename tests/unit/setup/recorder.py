"""What setup would do to the computer, written down instead."""


class Recorder:
    """Instead of the computer that the test runs on."""

    def __init__(self) -> None:
        self.hostname = ""
        self.targets: tuple[str, ...] = ()

    def set_hostname(self, name: str) -> None:
        self.hostname = name

    def start(self, targets: tuple[str, ...]) -> None:
        self.targets = targets
