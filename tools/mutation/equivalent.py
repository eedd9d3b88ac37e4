"""Mutations without an effect that anything could notice, each with its reason. They are not
counted; a test requires that each still exists. If the code can do without it, it should.
"""

EQUIVALENT: dict[str, dict[str, str]] = {
    "saint_services/lib/role/motion/axis.py": {
        "without minus: -math.inf": "the first step has its full credit either way",
        "without: self._began_s = 0.0": "read only once a way was planned",
        "0.0 -> 1.0 in self._began_s = 0.0": "read only once a way was planned",
        "0.0 -> 1.0 in self._planned = (self.applied, 0.0)": "it is there: nothing to plan",
        "LtE -> Lt: self.velocity * left <= 0.0": "what stands has no motion to drop",
        "True: if wanted != self._planned": "planned from where it is, the way is the same",
        "LtE -> Lt: self.target * before <= 0.0": "a target of 0 is below any speed, too",
        "Lt -> LtE: abs(self.target) < abs(before)": "as fast as it is: nothing changes",
        "LtE -> Lt: abs(way) <= reach": "what fits exactly arrives either way",
    },
    "saint_services/lib/role/gate.py": {
        "without: self._sequence = -1": "read only after the first heartbeat has set it",
        "without minus: -1 in self._sequence = -1": "read only after the first heartbeat set it",
        "1 -> 2 in self._sequence = -1": "read only after the first heartbeat has set it",
        "without minus: -1 in self._generation: int = -1": "set with every new controller, too",
        "1 -> 2 in self._generation: int = -1": "set with every new controller, too",
        "1 -> 2 in self._generation = -1": "below every generation there is",
        "1 -> 2 in self._seen_from = -1": "any number below 0 says the same",
        "0 -> 1 in self._seen_from: float = 0": "set with every new controller before it is read",
        "1 -> 2 in return self._proven.get(origin, -1) >= self._floor": "no floor is below 0",
        "Lt -> LtE: sequence < self._sequence": "an equal number was found one term before",
    },
    "saint_services/lib/guard/beat.py": {
        "4 -> 5 in _FIXED_SIZE = _SEAL_SHRINK | 4 | 1": "the 1 is in it already",
    },
    "saint_services/lib/guard/will.py": {
        "420 -> 421 in descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 420)": (  # noqa: E501 - as it is printed
            "fchmod sets the mode next"
        ),
    },
    "saint_services/lib/guard/ports.py": {
        "4 -> 5 in settings[4] = settings[5] = speed": "Linux has one speed for both ways",
        "4096 -> 4097 in if not self._socket.recv(4096):": "answers are 16 bytes",
        "without: self._socket.close()": "the last reference goes in the same moment",
        "without: self._records.close()": "the last reference goes in the same moment",
    },
    "saint_services/lib/role/motion/trajectory.py": {
        "Lt -> LtE: t_s < leg.duration_s": "one leg ends where and as fast as the next begins",
        "True: ahead if ahead else velocity": "what just fits brakes the same in both directions",
        "Div: velocity * way": "times and divided by 1 or -1 are the same",
        "Div: (goal - position) * way": "times and divided by 1 or -1 are the same",
        "Div: -acceleration * way": "times and divided by 1 or -1 are the same",
        "True: if duration_s > _SMALLEST_S": "a leg of no length changes nothing",
        "Gt -> GtE: duration_s > _SMALLEST_S": "a leg of a nanosecond changes nothing",
        "Div: math.copysign(acceleration, peak - speed) * way": "by 1 or -1, the same",
        "True: max(0.0, left / peak) if peak > 0.0 else 0.0": "a peak of 0 is only a rounding",
        "Gt -> GtE: peak > 0.0": "a peak of 0 is only a rounding",
        "False: if ahead == 0.0 and velocity == 0.0": "a short cut: no leg would be long enough",
    },
    "saint_services/guardd/adapters.py": {
        "2 -> 3 in _CURRENT_AND_FUTURE = 1 | 2": "the 1 is in it already",
        "without: self._line = -1": "read only after a line was requested",
        "without minus: -1 in self._line = -1": "read only after a line was requested",
        "1 -> 2 in self._line = -1": "read only after a line was requested",
    },
    "saint_services/guardd/daemon.py": {
        "0 -> 1 in due_ns = 0": "any time that is over",
        "1000000000.0 -> 1000000001.0 in wait_s = max(0.0, (due_ns - monotonic_ns()) / 1000000000.0)": (  # noqa: E501 - as it is printed
            "a billionth of 50 ms sooner"
        ),
        "without: peer.close() in peer.close()": "the last reference goes in the same moment",
    },
    "saint_services/lib/role/guard_client.py": {
        "without: self._beat_ns = 0": "read only after the first motion has set it",
        "0 -> 1 in self._beat_ns = 0": "read only after the first motion has set it",
        "without: self._timer = None": "a timer that is over may be cancelled again",
        "4096 -> 4097 in if self._connection.recv(4096):": "the guard's messages are short",
        "without: beat.close()": "the last reference goes in the same moment",
    },
    "saint_services/rcd/protocols/pulses.py": {
        "True -> False in self._is_broken: bool = True": "the first gap drops what was begun",
        "0 -> 1 in self._seen = 0": "no frame has one channel, and a broken one agrees on nothing",
        "0 -> 1 in self._times_seen = 0": "only a broken one is as the none before it",
        "without: del pin": "for the reader",
        "0 -> 1 in is_whole = len(self._us) == self._count > 0 and (not self._is_broken)": (
            "four channels are the fewest that are agreed on"
        ),
    },
    "saint_services/lib/role/motion/homing.py": {
        "True: if not self._joints.are_still": "what is still is held where it is",
        "True: if found": "a slice in which nothing was aimed moves nothing",
        "without: self._is_over = len(found) == len(uncommanded)": (
            "who was sent home is driven, and sent no second time"
        ),
    },
    "saint_services/lib/role/motion/collisions.py": {
        "Lt -> LtE: at[joint] < low": "at the edge it is inside, which was tested before",
    },
    "saint_services/lib/role/proof.py": {
        "without minus: -1 in self._second = -1": "no check was counted in any second before",
        "1 -> 2 in self._second = -1": "no check was counted in any second before",
        "without: self._checks = 0": "every new second begins with it",
        "0 -> 1 in self._checks = 0": "every new second begins with it",
    },
    "saint_services/lib/stall.py": {
        "without: self._length_s = 0.0": "read only after a stall has set it",
        "0.0 -> 1.0 in self._length_s = 0.0": "read only after a stall has set it",
    },
    "saint_services/role_tracksd/stall.py": {
        "Div: speed_share * math.copysign(1.0, duty)": "times and divided by 1 or -1 are the same",
    },
    "saint_services/role_tracksd/logic.py": {
        "Gt -> GtE: fastest > top_mps": "what is exactly as fast as possible is scaled by one",
        "Div: speed / top_mps * math.copysign(1.0, duty)": "by 1 or -1, the same",
    },
    "saint_services/lib/role/motion/odometry.py": {
        "Lt -> LtE: abs(turn) < _STRAIGHT_RAD": "at the bound both ways to compute it agree",
        "True: if self._variance_per_m and (left_m or right_m)": "a short cut: adds nothing",
        "Or: self._variance_per_m and (left_m or right_m)": "a short cut: adds nothing",
    },
    "saint_services/routerd/fields/motion.py": {
        "Gt -> GtE: gap > 0.0": "a gap of 0 has arrived already",
    },
    "saint_services/routerd/fields/board.py": {
        "Lt -> LtE: at < self.wake_at": "the same time again",
    },
    "saint_services/routerd/estop/latch_file.py": {
        "Lt -> LtE: newest.sequence < 0": "sequences begin with 1",
        "0 -> 1 in if newest.sequence < 0:": "sequences begin with 1",
        "Lt -> LtE: min((each.sequence for each in slots)) < 0": "sequences begin with 1",
        "0 -> 1 in if min((each.sequence for each in slots)) < 0:": "sequences begin with 1",
        "1 -> 2 in slots = [_record(number + 1, payload) for number in range(_SLOTS)]": (
            "only which of two sequences is higher is ever read"
        ),
        "without minus: -1": "of two the second is the last",
        "0 -> 1 in record = _record(max(0, slots[order[-1]].sequence) + 1, payload)": (
            "only which of two sequences is higher is ever read"
        ),
        "8 -> 9 in return hashlib.sha256(sequence.to_bytes(8, 'big') + payload).digest()": (
            "written and read alike"
        ),
        "Lt -> LtE: len(parts) < size": "no byte more is requested",
    },
    "saint_services/routerd/estop/latch_start.py": {
        "20 -> 21 in return min(int((directory / MARKER).read_bytes()[:20]), 2 ** 62)": (
            "a number of 20 digits is beyond the highest, too"
        ),
        "0 -> 1 in return 0": "wall time is higher",
    },
    "saint_services/routerd/estop/latch_store.py": {
        "1 -> 2 in self._newest = 1": "only whether it is the stored one is ever read",
        "1 -> 2 in self._newest += 1": "only whether it is the stored one is ever read",
    },
    "saint_services/routerd/inputs/console.py": {
        "1 -> 2 in self._sequence = itertools.count(1)": "any first number will do",
    },
    "saint_services/routerd/report.py": {
        "False -> True in values |= {prefix + name: value for name, value in zip(stream.names, stream.values, strict=False)}": (  # noqa: E501 - as it is printed
            "a stream with a sample has as many values as names"
        ),
    },
    "saint_services/routerd/routes/preview.py": {
        "Lt -> LtE: low < bend < high": "both ends are points of the grid",
    },
    "saint_services/routerd/routes/mapping.py": {
        "Gt -> GtE: x > dead": "at its end the deadzone gives 0 either way",
        "Lt -> LtE: x < -dead": "at its end the deadzone gives 0 either way",
    },
    "saint_services/routerd/inputs/intake.py": {
        "False: names if type(names) is tuple else tuple(names)": "a short cut: no copy",
        "without: stream.names = names": "a short cut: equal names are found again by a look-up",
    },
    "saint_services/routerd/routes/plan.py": {
        "1000000000000.0 -> 1000000000001.0": "any bound far beyond every limit will do",
        "Gt -> GtE: len(plan.claim.inputs) > 1": "what is followed twice is where it was",
    },
    "saint_services/routerd/logic.py": {
        "True: if stream is None or names is not stream.names or message.ta...": (
            "a short cut: the look-up finds the same stream"
        ),
        "False: values if type(values) is tuple else tuple(values)": "a short cut: no copy",
        "True: if values != old": "a short cut: what is the same changes nothing",
        "True: if source is None or source.is_known != is_known": (
            "a short cut: the look-up finds the same source"
        ),
        "True: if not claim.is_armed in if not claim.is_armed: of _follow_sum()": (
            "an armed claim contends again for the field that it has or has not"
        ),
        "False: if self.latch.active in if self.latch.active: of _recompute()": (
            "the clear disarms every claim again"
        ),
        "False: if self.latch.active in if self.latch.active: of _fail()": (
            "a stopped output has no winner to lose"
        ),
        "True: if self.locks.held": "a short cut: there is no lock to renew",
        "True: if was_lost": "decided again, every field has the same winner",
        "False: if x == old[index]": "a short cut: the same input requests the same",
        "without: continue": "a short cut: the same input requests the same",
    },
    "saint_services/webd/robot/goals.py": {
        "True: if SPEED not in values": "a speed of this command is written again",
    },
    "image/boards/balance/arming.py": {
        "2 -> 3 in DISARM, ARM, BETWEEN = (0, 1, 2)": "a name; any other number is as good",
        "False -> True in self._is_elrs = False": "the switch must be cycled at the start anyway",
    },
    "image/boards/balance/attitude.py": {
        "0 -> 1 in self._last_ms = 0": "the first angles are those of gravity alone",
        "Gt -> GtE: abs(sqrt(ax * ax + ay * ay + az * az) - 1.0) > _TRUST_G": (
            "no length is exactly on the bound"
        ),
        "Sub: roll + 180.0": "180 more or less are the same angle of 360",
    },
    "image/boards/balance/mixing.py": {
        "Gt -> GtE: abs(target) > abs(self.value)": "as far from rest as it is: nothing changes",
        "Gt -> GtE: speed > 0": "a speed of 0 stays 0 either way",
    },
    "image/boards/balance/balance_board.py": {
        "without: self._stopped_by = t.FAULT_NONE": "read only after FAULT has set it",
        "without minus: -1 in self._was_state = -1": "every state but DISARMED, the first, is new",
        "1 -> 2 in self._was_state = -1": "every state but DISARMED, the first, is new",
        "without: self._wheels = (0.0, 0.0)": "each turn sets it before it is read",
        "0.0 -> 1.0 in self._wheels = (0.0, 0.0)": "each turn sets it before it is read",
        "without: self._must_brake = True": "each turn sets it before it is read",
        "True -> False in self._must_brake = True": "each turn sets it before it is read",
        "True: if replies": "nothing is written then",
    },
    "image/boards/shared/link.py": {
        "0 -> 1 in length = data[at + 1] if at + 1 < len(data) else 0": (
            "a lone start waits, whatever it claims"
        ),
    },
    "image/boards/io/receivers.py": {
        "2 -> 3 in CROSSFIRE, ELRS, NEITHER = (0, 1, 2)": "a name; any other number is as good",
        "0 -> 1 in flags = t.RC_FLAG_ALIVE | (t.RC_FLAG_ELRS if self.active == ELRS else 0)": (
            "the 1 is in it already"
        ),
        "0 -> 1 in flags |= t.RC_FLAG_NEW if receiver.is_new else 0": "the 1 is in it already",
    },
    "image/boards/io/io_board.py": {
        "False -> True in self._is_reported_alive = False": "the first turn reports anyway",
        "NotEq -> Eq: self.receivers.active != NEITHER in is_alive = self.receivers.active != NEITHER of _report()": (  # noqa: E501 - as it is printed
            "only its changes count"
        ),
    },
    "image/boards/io/crsf.py": {
        "256 -> 257 in for value in range(256):": "nothing reads a last entry too many",
    },
    "image/boards/balance/telemetry.py": {
        "65000.0 -> 65001.0 in _MOST = 65000.0": "both are the same half float",
    },
    "image/boards/balance/sources.py": {
        "False -> True in self._is_alive = False": "read only while what sets it is fresh",
        "without: self._is_released = False": "the first driver sets it",
        "False -> True in self._is_released = False": "the first driver sets it",
        "300 -> 301 in _OTHER_STICK = 300": "sticks stand in steps of 2 thousandths",
    },
    "image/boards/shared/freshness.py": {
        "without: self._since_ms = 0": "read only after the first message has set it",
        "0 -> 1 in self._since_ms = 0": "read only after the first message has set it",
        "1 -> 2 in self._next_ms = -1": "any time that is over",
    },
    "image/boards/io/bridges.py": {
        "Lt -> LtE: duty < 0": "a duty of 0 rests both halves",
        "without: self._duties = (0, 0)": "read only after a fresh message has set it",
        "0 -> 1 in self._duties = (0, 0)": "read only after a fresh message has set it",
        "without: self._is_armed = False": "read only while the message that sets it is fresh",
        "False -> True in self._is_armed = False": "read only while that message is fresh",
    },
    "saint_services/lib/reading_age.py": {
        "without: self._best_s = self._before_s = float('inf')": "the first reading sets both",
    },
}
