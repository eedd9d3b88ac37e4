"""History of each node's load and temperature: a bounded list of numbers. Not here: the newest
numbers (newest.py), the server's own history (trends.py).
"""

import math
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from ...lib.api.adoption import NodeInfo, NodeState
from ...lib.api.webd.nodes import NODE_HISTORY_POINTS, NodeHistory

PERIOD_S = 5.0
Point = tuple[float | None, float | None, float | None]


@dataclass(slots=True)
class NodeHistories:
    """Histories of all nodes in the registry."""

    _points: dict[str, deque[Point]] = field(default_factory=dict)
    _next_s: float = -math.inf

    def add(self, nodes: Iterable[NodeInfo], now_s: float) -> None:
        """Add the present numbers, unless the last ones are less than a period old. A node that has
        left the registry is dropped.
        """
        if now_s < self._next_s:
            return
        # A little early is in time: the caller is not exactly on time either.
        self._next_s = now_s + 0.9 * PERIOD_S
        before, self._points = self._points, {}
        for node in nodes:
            points = before.get(node.node_id) or deque(maxlen=NODE_HISTORY_POINTS)
            points.append(_point(node))
            self._points[node.node_id] = points

    def of(self, node_id: str) -> NodeHistory:
        """Return the history of a node; empty for one that was not seen yet."""
        points = self._points.get(node_id, ())
        cpu, memory, temp = ([p[i] for p in points] for i in range(3))
        return NodeHistory(node_id=node_id, period_s=PERIOD_S, cpu=cpu, memory=memory, temp=temp)


def _point(node: NodeInfo) -> Point:
    if node.state is NodeState.OFFLINE:
        return None, None, None
    temp = round(node.cpu_temp, 1) if node.cpu_temp else None  # 0: it has no sensor
    return round(node.cpu_usage, 1), round(node.memory_usage, 1), temp
