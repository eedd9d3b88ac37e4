"""A node's log over the real bus: its server orders it, adoptiond's socket gives it."""

from saint_services.lib.api.logs import MOST_LINES, QUERY_NODE, LogQuery
from tests.integration.robot import Robot


async def test_node_gives_pages_of_its_own_log_over_the_bus(robot: Robot) -> None:
    async with robot.client("adoptiond") as adoptiond:
        query = LogQuery(node="sim_head", level="DEBUG", limit=MOST_LINES)
        page = await adoptiond.request(QUERY_NODE, query)
        assert {line.source for line in page.lines} == {"noded", "role-headd"}
        assert {line.node for line in page.lines} == {"head"}
        only = LogQuery(node="sim_head", source="noded", limit=1)
        newest = await adoptiond.request(QUERY_NODE, only)
        assert [line.source for line in newest.lines] == ["noded"] and newest.older
