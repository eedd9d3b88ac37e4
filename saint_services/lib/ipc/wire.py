"""The wire format that server and client of the control plane share, in addition to lib/api."""

from typing import Any

from pydantic import BaseModel, SerializerFunctionWrapHandler, model_serializer

from ..errors import Code, SaintError

LARGEST_BODY_BYTES = 1 << 20
LARGEST_HEAD_BYTES = 16 << 10


class ErrorReply(BaseModel):
    """An error (a SaintError on the wire): its code, what failed, and what to do."""

    code: str
    message: str
    fix: str = ""
    names: list[str] = []  # what the caller may confirm, so that the request is carried out

    @classmethod
    def of(cls, error: SaintError) -> "ErrorReply":
        names = list(error.names)
        return cls(code=error.code.value, message=error.message, fix=error.fix, names=names)

    @model_serializer(mode="wrap")
    def _without_no_names(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        data: dict[str, Any] = write(self)
        if not self.names:
            del data["names"]
        return data

    def error(self) -> SaintError:
        """Return the same error on this side; unknown codes become `internal`."""
        try:
            code = Code(self.code)
        except ValueError:
            code = Code.INTERNAL
        return SaintError(code, self.message, fix=self.fix, names=self.names)


class StreamEnd(BaseModel):
    """The last line of a stream that failed."""

    error: ErrorReply
