"""Frames and numbers that both boards and the computer share.

Generated: run make gen, which reads saint_services/lib/wagon and lib/hw/vesc/messages.py.

A row is (identifier, struct format, magic bytes, allowed numbers, scales, allowed sizes).
"""

LINK_BAUD = 460800
LINK_START = 170
LINK_OVERHEAD = 4
LINK_HEARTBEAT_LIMIT_MS = 200
FULL_SPEED = 1000
FULL_SPEED_MPS = 2.0
FULL_TURN_RADPS = 2.0
TILT_LIMIT_DEG = 25.0
RC_LOST_MS = 300
HOST_SILENT_MS = 500
DRIVE_PERIOD_MS = 20
ATTITUDE_PERIOD_MS = 20
POWER_PERIOD_MS = 100
BOARD_SILENT_MS = 200
LEVEL_MS = 500
BATTERY_CELLS = 10
BATTERY_LOW_MV = 33000
BATTERY_EMPTY_MV = 30000
BATTERY_HIGH_MV = 43000
GAIN_MOST = 100.0
GAIN_STEP_SHARE = 0.1
GAIN_STEP_LEAST = 0.05
FIRST_WARNING = 128
HEARTBEAT_PERIOD_MS = 50
RC_PERIOD_MS = 20
RC_TAKEOVER_MS = 50
CHANNEL_STEER = 0
CHANNEL_SPEED = 1
CHANNEL_ARM = 4
CHANNEL_MODE = 5
CHANNEL_LIMIT = 6
CHANNEL_HORN = 7
DISARM_BELOW_US = 1200
ARM_ABOVE_US = 1800
VESC_TIMEOUT_MS = 200
VESC_PERIOD_MS = 20
VESC_SILENT_MS = 500
MODE_RC = 0
MODE_ASSISTED = 1
MODE_AUTONOMOUS = 2
STATE_DISARMED = 0
STATE_ARMED = 1
STATE_FAILSAFE = 2
STATE_ESTOP = 3
STATE_TILT = 4
STATE_FAULT = 5
FLAG_MODE = 3
FLAG_RC_ALIVE = 4
FLAG_RC_FAILOVER = 8
FLAG_HOST_ALIVE = 16
FLAG_STICK_NEUTRAL = 32
FLAG_ARM_SWITCH = 64
FLAG_CYCLE_SWITCH = 128
DRIVE_FLAG_BRAKE = 1
FAULT_NONE = 0
FAULT_IMU = 1
FAULT_IO_BOARD = 2
FAULT_VESC_LOST = 3
FAULT_VESC_FAULT = 4
FAULT_CAN_OFF = 5
FAULT_BATTERY_EMPTY = 6
FAULT_BATTERY_HIGH = 7
FAULT_OVERHEATED = 8
FAULT_WHEEL_BLOCKED = 9
FAULT_BROWN_OUT = 10
FAULT_INTERNAL = 11
FAULT_WARN_BATTERY_LOW = 128
FAULT_WARN_HOT = 129
FAULT_WARN_RC_WEAK = 130
RC_FLAG_ALIVE = 1
RC_FLAG_ELRS = 2
RC_FLAG_NEW = 4
SENSOR_DISTANCE = 1
SENSOR_PRESSURE = 2
SENSOR_TEMPERATURE = 3
SENSOR_RSSI_CROSSFIRE = 4
SENSOR_RSSI_ELRS = 5
SENSOR_LINK_QUALITY = 6
CRC8 = (
    b"\x00\x5e\xbc\xe2\x61\x3f\xdd\x83\xc2\x9c\x7e\x20\xa3\xfd\x1f\x41"
    b"\x9d\xc3\x21\x7f\xfc\xa2\x40\x1e\x5f\x01\xe3\xbd\x3e\x60\x82\xdc"
    b"\x23\x7d\x9f\xc1\x42\x1c\xfe\xa0\xe1\xbf\x5d\x03\x80\xde\x3c\x62"
    b"\xbe\xe0\x02\x5c\xdf\x81\x63\x3d\x7c\x22\xc0\x9e\x1d\x43\xa1\xff"
    b"\x46\x18\xfa\xa4\x27\x79\x9b\xc5\x84\xda\x38\x66\xe5\xbb\x59\x07"
    b"\xdb\x85\x67\x39\xba\xe4\x06\x58\x19\x47\xa5\xfb\x78\x26\xc4\x9a"
    b"\x65\x3b\xd9\x87\x04\x5a\xb8\xe6\xa7\xf9\x1b\x45\xc6\x98\x7a\x24"
    b"\xf8\xa6\x44\x1a\x99\xc7\x25\x7b\x3a\x64\x86\xd8\x5b\x05\xe7\xb9"
    b"\x8c\xd2\x30\x6e\xed\xb3\x51\x0f\x4e\x10\xf2\xac\x2f\x71\x93\xcd"
    b"\x11\x4f\xad\xf3\x70\x2e\xcc\x92\xd3\x8d\x6f\x31\xb2\xec\x0e\x50"
    b"\xaf\xf1\x13\x4d\xce\x90\x72\x2c\x6d\x33\xd1\x8f\x0c\x52\xb0\xee"
    b"\x32\x6c\x8e\xd0\x53\x0d\xef\xb1\xf0\xae\x4c\x12\x91\xcf\x2d\x73"
    b"\xca\x94\x76\x28\xab\xf5\x17\x49\x08\x56\xb4\xea\x69\x37\xd5\x8b"
    b"\x57\x09\xeb\xb5\x36\x68\x8a\xd4\x95\xcb\x29\x77\xf4\xaa\x48\x16"
    b"\xe9\xb7\x55\x0b\x88\xd6\x34\x6a\x2b\x75\x97\xc9\x4a\x14\xf6\xa8"
    b"\x74\x2a\xc8\x96\x15\x4b\xa9\xf7\xb6\xe8\x0a\x54\xd7\x89\x6b\x35"
)
LINK_RC_CHANNELS = (1, "<16HB", b"", (None,) * 17, (1,) * 17, (33,))
LINK_SENSOR = (2, "<Bf", b"", (None, None), (1, 1), (5,))
LINK_NFC = (3, "<7sB", b"", (None, (4, 7, 3)), (1, 1), (8,))
LINK_ACTUATORS = (16, "<BBBBB", b"", (None,) * 5, (1,) * 5, (5,))
LINK_STATUS = (17, "<Bff", b"", (None, None, None), (1, 1, 1), (9,))
LINK_HEARTBEAT = (255, "<I", b"", (None,), (1,), (4,))
LINK_WHEELS = (18, "<hh", b"", ((-1000, 1000, 1), (-1000, 1000, 1)), (1, 1), (4,))
NO_SIGNAL_DBM = -128
CAN_DRIVE = (768, "<hhBB", b"", ((-1000, 1000, 1), (-1000, 1000, 1), None, None), (1,) * 4, (8,))
CAN_ARM = (769, "<B", b"", ((0, 1, 1),), (1,), (1,))
CAN_GAINS = (770, "<eee", b"", (None, None, None), (1, 1, 1), (8,))
CAN_ESTOP = (771, "<", b"\xe5", (), (), (1,))
CAN_ATTITUDE = (1024, "<eeeBB", b"", (None,) * 5, (1,) * 5, (8,))
CAN_POWER = (1025, "<HBb", b"", (None, None, None), (1, 1, 1), (4,))
CAN_RECEIVERS = (1026, "<bbB", b"", (None, None, None), (1, 1, 1), (3,))
VESC_SET_DUTY = (0, ">i", b"", (None,), (100000,), (4,))
VESC_SET_CURRENT = (1, ">i", b"", (None,), (1000,), (4,))
VESC_SET_CURRENT_BRAKE = (2, ">i", b"", (None,), (1000,), (4,))
VESC_STATUS_1 = (9, ">ihh", b"", (None, None, None), (1, 10, 1000), (8,))
VESC_STATUS_4 = (16, ">hhhh", b"", (None,) * 4, (10, 10, 10, 50), (8,))
VESC_STATUS_5 = (27, ">ih", b"", (None, None), (1, 10), (6, 8))
LINK_ROWS = (
    LINK_RC_CHANNELS,
    LINK_SENSOR,
    LINK_NFC,
    LINK_ACTUATORS,
    LINK_STATUS,
    LINK_HEARTBEAT,
    LINK_WHEELS,
)
HOST_ROWS = (
    CAN_DRIVE,
    CAN_ARM,
    CAN_GAINS,
    CAN_ESTOP,
)
