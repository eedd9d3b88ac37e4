"""What happens exactly at a bound: at the very moment of a time-out, at the very priority, at the
very threshold. The numbers are typed by hand.
"""

import pytest

from saint_services.lib.errors import SaintError
from tests.unit.routerd.rig import DRIVE, STOP, Rig


class TestEstopSwitch:
    def test_a_switch_that_is_on_bars_the_reset_for_120_ms_and_no_longer(self) -> None:
        rig = Rig(DRIVE, STOP)
        rig.send("rc", stick=0.0, switch=1.0)
        with pytest.raises(SaintError, match="still asks for the stop"):
            rig.router.clear_estop("web", rig.now + 0.1199)
        rig.router.clear_estop("web", rig.now + 0.120)
        assert not rig.router.latch.active
