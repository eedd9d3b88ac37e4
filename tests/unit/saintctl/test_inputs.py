"""`saintctl input` with a fake router."""

from tests.unit.saintctl.fake_daemons import FakeDaemons


async def test_input_list_shows_values(daemons: FakeDaemons) -> None:
    result = await daemons.saintctl("input", "list")
    assert "channel_1 -1.00" in result.stdout
