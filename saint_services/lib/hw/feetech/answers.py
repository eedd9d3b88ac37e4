"""Takes apart the answers of all servos to one sync read, where a read of the line holds them and
nothing else: the usual case, for which packets one by one take three times as long. Pure. Not
here: any other bytes (packets.py).
"""

from collections.abc import Sequence

from ..bus_servos.port import ServoStatus
from .packets import FRAME_BYTES, HEADER

_DATA = 5  # where it begins: after the header, id, length and error bits


def all_answers(data: bytes, servos: Sequence[int], length: int) -> list[ServoStatus]:
    """Return the status of each servo, in their order; [] unless the bytes are one sound answer of
    each with so many bytes of data.
    """
    size = FRAME_BYTES + length
    if len(data) != size * len(servos):
        return []
    found = []
    for number, servo in enumerate(servos):
        at = size * number
        answer = data[at : at + size]
        is_whole = answer.startswith(HEADER) and answer[2] == servo and answer[3] == length + 2
        if not is_whole or sum(answer[2:]) & 0xFF != 0xFF:
            return []
        found.append(ServoStatus(servo, answer[4], answer[_DATA:-1], True))
    return found
