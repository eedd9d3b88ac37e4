"""Orders to nodes: what people read when nobody takes one."""

import pytest

from saint_services.adoptiond import order_sender
from saint_services.lib.api.logs import LogQuery
from saint_services.lib.bus.local import LocalDomain
from saint_services.lib.crypto.signing import PrivateKey
from saint_services.lib.errors import Code, SaintError


async def test_node_that_is_away_is_named_as_people_know_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(order_sender, "_SOON_S", 0.01)
    bus = LocalDomain().bus("adoptiond")
    orders = order_sender.OrderSender(bus, PrivateKey(bytes(32)), "SAINT-01")
    with pytest.raises(SaintError) as refusal:
        await orders.log("pi_9", "", LogQuery())
    assert refusal.value.code is Code.BUS_TIMEOUT
    assert refusal.value.message == "pi_9 does not answer (waited 0.01 s)"
    assert "running" in refusal.value.fix
