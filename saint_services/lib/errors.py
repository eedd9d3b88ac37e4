"""SaintError: the exception whose text users see. Codes and titles come from manifests/errors.yaml.
Not here: showing or logging errors.
"""

from collections.abc import Iterable

from .generated.errors import INFO, Code

__all__ = ["Code", "SaintError"]


class SaintError(Exception):
    """A fault with a code. `message` says what failed with which value, `fix` what to do. `names`
    are what the user may confirm so that the request is carried out.
    """

    def __init__(
        self, code: Code, message: str, *, fix: str = "", names: Iterable[str] = ()
    ) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.fix = fix or INFO[code].fix
        self.names = tuple(names)

    @property
    def status(self) -> int:
        """HTTP status."""
        return INFO[self.code].status

    @property
    def exit_code(self) -> int:
        """Exit code of a process that ends because of it."""
        return INFO[self.code].exit_code

    def __str__(self) -> str:
        return f"{INFO[self.code].title}: {self.message}"
