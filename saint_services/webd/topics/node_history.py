"""How each node's load and temperature went in the last minutes: a bounded list of numbers. Pure.
Not here: the newest numbers (newest.py), the server's own history.
"""

import math
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from pydantic import Field

from ...lib.api import Reply
from ...lib.api.adoption import NodeInfo, NodeState

PERIOD_S = 5.0
MOST = 120  # ten minutes


class NodeHistory(Reply):
    """Oldest first, one number a period; null while the node was not heard."""

    node_id: str
    period_s: float
    cpu: list[float | None] = Field(max_length=MOST)  # percent
    memory: list[float | None] = Field(max_length=MOST)  # percent
    temp: list[float | None] = Field(max_length=MOST)  # degrees Celsius


Point = tuple[float | None, float | None, float | None]


@dataclass(slots=True)
class History:
    """Of all nodes; one that is forgotten by the registry is forgotten here."""

    _points: dict[str, deque[Point]] = field(default_factory=dict)
    _next_s: float = -math.inf

    def add(self, nodes: Iterable[NodeInfo], now_s: float) -> None:
        """What they say now; nothing is kept when the last time was less than a period ago."""
        if now_s < self._next_s:
            return
        # A little early is in time: who asks is not exactly on time either.
        self._next_s = now_s + 0.9 * PERIOD_S
        before, self._points = self._points, {}
        for node in nodes:
            kept = before.get(node.node_id) or deque(maxlen=MOST)
            kept.append(_point(node))
            self._points[node.node_id] = kept

    def of(self, node_id: str) -> NodeHistory:
        """Empty for one that was not heard yet."""
        points = self._points.get(node_id, ())
        cpu, memory, temp = ([p[i] for p in points] for i in range(3))
        return NodeHistory(node_id=node_id, period_s=PERIOD_S, cpu=cpu, memory=memory, temp=temp)


def _point(node: NodeInfo) -> Point:
    if node.state is NodeState.OFFLINE:
        return None, None, None
    temp = round(node.cpu_temp, 1) if node.cpu_temp else None  # 0: it has no sensor
    return round(node.cpu_usage, 1), round(node.memory_usage, 1), temp
