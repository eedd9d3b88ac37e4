"""How an output field moves: it follows what is asked of it at a limited rate, cross-fades when
control changes, and falls back to its loss policy when nobody is in control. Not here: who is in
control (arbitration.py).
"""

from typing import Final

from .claims import FOREVER, NO_BAR, Output

STEP_S: Final = 0.010  # while something ramps or slews it is advanced this often
RAMP_S: Final = 0.050  # a lost velocity is zero within 60 ms, a late timer included


def drive(output: Output, want: float, now: float) -> None:
    """Move towards `want`, which is within the limits, no faster than the field's rate.

    After a pause only one step's worth is granted, so that idle time is not saved up for a jump.
    The first command of a position is taken as it is: nobody knows where the joint stands, and the
    role daemon limits the rate from there.
    """
    output.want = want
    value = output.value
    elapsed = now - output.at
    output.at = now
    if value is None:
        output.value = want
        output.is_moving = False
        return
    if output.fade_s:
        want = _faded(output, want, now)
    room = output.rate * (STEP_S if elapsed > STEP_S else elapsed if elapsed > 0.0 else 0.0)
    gap = want - value
    if -room <= gap <= room:
        output.value = want
        output.is_moving = output.fade_s > 0.0
    else:
        output.value = value + room if gap > 0.0 else value - room
        output.is_moving = True


def fade(output: Output, duration_s: float, now: float) -> None:
    """From now on cross-fade from the present value to what is asked; 0 s: do not."""
    if output.value is not None:
        output.fade_s, output.fade_at, output.fade_from = duration_s, now, output.value


def _faded(output: Output, want: float, now: float) -> float:
    share = max(0.0, (now - output.fade_at) / output.fade_s)
    if share > 0.999:  # what is left goes at the rate of the field
        output.fade_s = 0.0
        return want
    return output.fade_from * (1.0 - share) + want * share


def lose(output: Output, lost_at: float, now: float) -> None:
    """Nobody is in control any more since `lost_at`: the loss policy takes over."""
    _let_go(output, now)
    output.policy = output.on_loss
    value = output.value
    if value is None:
        output.is_moving = False
        return
    if output.on_loss == "ramp_to_zero":
        output.ramp_from, output.ramp_at, output.want = value, lost_at, output.rest
    elif output.on_loss == "neutral":
        output.want = output.neutral
    elif output.on_loss == "park":
        output.want = output.park
    else:
        output.want = value
    output.at = now
    output.is_moving = value != output.want


def keep(output: Output, want: float | None, now: float) -> None:
    """The winner's signal is lost and it keeps the field: a velocity goes to rest whatever its
    policy, a position to `want`, or stays (None).
    """
    _let_go(output, now)
    value = output.value
    if value is None:
        output.is_moving = False
    elif output.is_velocity:
        output.policy = "ramp_to_zero"
        output.ramp_from, output.ramp_at, output.want = value, now, output.rest
        output.is_moving = value != output.want
    else:
        output.policy = "hold" if want is None or want == output.want else "neutral"
        output.want = value if want is None else want
        output.is_moving = value != output.want
    output.at = now


def _let_go(output: Output, now: float) -> None:
    output.winner = None
    output.rate = output.max_rate
    output.changed_at = now
    output.fade_s = 0.0
    if output.members is not None:
        output.members = ()


def step(output: Output, now: float) -> None:
    """Advance what is under way."""
    if output.policy != "ramp_to_zero":
        drive(output, output.want, now)
        return
    share = (now - output.ramp_at) / RAMP_S
    output.at = now
    if share > 0.999:
        output.value = output.want
        output.is_moving = False
    elif share > 0.0:
        output.value = output.ramp_from + (output.want - output.ramp_from) * share


def stop(output: Output, now: float) -> None:
    """E-stop: a velocity is zero at once. A position is no longer commanded at all, so that the
    joint does not finish its old motion when the latch is cleared.
    """
    _let_go(output, now)
    output.policy = "estop"
    output.is_moving = False
    output.bar, output.keeper, output.review_at = NO_BAR, None, FOREVER
    if output.is_velocity:
        output.value = output.want = output.rest
    else:
        output.is_driven = False


def rest(output: Output, now: float) -> None:
    """The latch was cleared: stay as it is until an input is moved."""
    output.policy = output.on_loss
    output.changed_at = now
    output.at = now
