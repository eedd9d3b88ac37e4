"""What the BALANCE board must know of this robot. The numbers of its frames: shared/tables.py."""

VESCS_LEFT = (68,)  # a dual VESC has a second id for its second motor: add it here
VESCS_RIGHT = (56,)
POLE_PAIRS = 15  # of the hub motors
WHEEL_DIAMETER_M = 0.165
# Duty that turns the free wheels at FULL_SPEED_MPS with 36 V: 16 revolutions per minute per volt.
FULL_DUTY = 0.40
BRAKE_A = 8.0  # braking current of a stop
BRAKE_MS = 2000  # for so long; then the wheels turn freely and the wagon can be pushed
HOTTEST_FET_C = 85.0
HOTTEST_MOTOR_C = 100.0
HOT_C = 70.0  # the fan is on, and a warning
BLOCKED_A = 15.0  # more current than this without motion
BLOCKED_ERPM = 60
BLOCKED_MS = 800
HAS_BRIDGES = False  # True: the IO board's BTS7960 drive too. Their limit is 27.5 V, not 36 V.
GAINS = (12.0, 0.0, 1.5)  # of the stability assist: kp, ki, kd in thousandths per degree
