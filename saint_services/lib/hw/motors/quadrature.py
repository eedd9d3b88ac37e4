"""Counts the edges of two encoder lines in quadrature (x4: all four edges count)."""

from ..ports import EdgeInput

# Index: old A, old B, new A, new B as bits. Forward is A before B: 00, 10, 11, 01.
_STEP = (0, -1, 1, 0, 1, 0, 0, -1, -1, 0, 0, 1, 0, 1, -1, 0)


class Quadrature:
    """The count of one encoder. `illegal` counts edges that cannot follow the one before."""

    __slots__ = ("_input", "_pin_a", "_state", "count", "illegal")

    def __init__(self, edges: EdgeInput, pin_a: int, pin_b: int, is_reversed: bool = False) -> None:
        self._input = edges
        if is_reversed:
            pin_a, pin_b = pin_b, pin_a
        self._pin_a = pin_a
        levels = edges.levels()
        self._state = levels[pin_a] << 1 | levels[pin_b]
        self.count = 0
        self.illegal = 0

    def listen(self) -> None:
        """Count from now on, in the running loop."""
        self._input.listen(self.edge)

    def edge(self, pin: int, level: bool, stamp_ns: int) -> None:
        """Count one edge that the input reports."""
        old = self._state
        new = old & 0b01 | level << 1 if pin == self._pin_a else old & 0b10 | level
        if new == old:  # the edge between is lost: the count is off by an unknown number
            self.illegal += 1
            return
        self._state = new
        self.count += _STEP[old << 2 | new]

    def close(self) -> None:
        """Stop counting."""
        self._input.close()
