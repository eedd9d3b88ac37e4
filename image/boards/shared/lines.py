"""Finds command lines in the bytes of a console."""

_LONGEST = 80


class LineReader:
    """Collects bytes to lines; a line that is too long is dropped whole."""

    def __init__(self) -> None:
        self._held = ""
        self._is_dropped = False

    def feed(self, data: bytes) -> "list[list[str]]":
        """Return the words of each complete line, in capitals."""
        found: list = []
        for byte in data:
            if byte in (10, 13):
                if self._held and not self._is_dropped:
                    found.append(self._held.upper().split())
                self._held, self._is_dropped = "", False
            elif len(self._held) >= _LONGEST:
                self._is_dropped = True
            elif 32 <= byte < 127:
                self._held += chr(byte)
        return [words for words in found if words]


def numbers(words: "list[str]", count: int) -> "list[float] | None":
    """Return as many finite numbers as there must be, or None."""
    if len(words) != count:
        return None
    try:
        found = [float(word) for word in words]
    except ValueError:
        return None
    return None if any(n != n or abs(n) > 1e6 for n in found) else found
