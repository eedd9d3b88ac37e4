"""What server and client of the control plane agree on beside the models of lib/api."""

from pydantic import BaseModel

from .errors import Code, SaintError

LARGEST_BODY_BYTES = 1 << 20
LARGEST_HEAD_BYTES = 16 << 10


class ErrorReply(BaseModel):
    """How a SaintError travels."""

    code: str
    message: str
    fix: str = ""

    @classmethod
    def of(cls, error: SaintError) -> "ErrorReply":
        return cls(code=error.code.value, message=error.message, fix=error.fix)

    def error(self) -> SaintError:
        """The same error on this side; codes of newer versions become `internal`."""
        try:
            code = Code(self.code)
        except ValueError:
            code = Code.INTERNAL
        return SaintError(code, self.message, fix=self.fix)


class StreamEnd(BaseModel):
    """Last line of a stream that failed."""

    error: ErrorReply
