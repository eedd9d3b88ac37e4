"""What otad and the job that has the network say to each other, over one connection per file: an
order as a line of JSON, a head as a line of JSON, then the bytes. The end of the connection ends
the job. Not here: the job (fetch_job.py), otad's side (adapters/fetch_socket.py).
"""

from enum import StrEnum

from pydantic import Field

from ...lib.strict import StrictModel

SOCKET = "otad-fetch.sock"
LONGEST_ORDER_BYTES = 1 << 18  # an authority with escaped line ends
LONGEST_HEAD_BYTES = 1 << 13


class FetchOrder(StrictModel):
    """One file."""

    address: str = Field(max_length=1000)
    authority: str = Field(default="", max_length=65536, repr=False)  # PEM; empty: the public ones
    offset: int = Field(default=0, ge=0)  # go on from here, if the file is still the same:
    validator: str = Field(default="", max_length=200)  # its ETag, or when it was changed
    most_bytes: int = Field(ge=1)  # of the whole file


class FaultKind(StrEnum):
    """Why there are no bytes."""

    CLOCK = "clock"  # a certificate is not valid yet
    CERTIFICATE = "certificate"
    UNREACHABLE = "unreachable"
    ANSWER = "answer"
    RANGE = "range"  # the file has nothing at this offset


class FetchHead(StrictModel):
    """What follows: bytes from `offset` on, or a fault."""

    fault: FaultKind | None = None
    text: str = Field(default="", max_length=1000)
    offset: int = Field(default=0, ge=0)
    size_bytes: int = Field(default=-1, ge=-1)  # of the whole file; -1: the server does not say
    validator: str = Field(default="", max_length=200)
