"""Every topic and service of the robot.

Written by `make gen` from manifests/; do not edit.
"""

from typing import Any, Final

from ..bus import Qos, Service, Topic
from . import audio_common_msgs
from . import builtin_interfaces
from . import diagnostic_msgs
from . import geometry_msgs
from . import nav_msgs
from . import rmw_dds_common
from . import saint_msgs
from . import sensor_msgs
from . import std_msgs
from . import tf2_msgs

NODES_UNADOPTED: Final[Topic[saint_msgs.NodeAnnouncement]] = Topic(
    "/saint/nodes/unadopted", saint_msgs.NodeAnnouncement, Qos(reliable=True, depth=10, latched=False)
)  # from noded
NODE_GPIO: Final[Topic[saint_msgs.NodeGPIOStatus]] = Topic(
    "/saint/nodes/{node_id}/gpio", saint_msgs.NodeGPIOStatus, Qos(reliable=True, depth=1, latched=False)
)  # from noded
NODE_FIRMWARE: Final[Topic[saint_msgs.FirmwareStatus]] = Topic(
    "/saint/nodes/{node_id}/firmware", saint_msgs.FirmwareStatus, Qos(reliable=True, depth=1, latched=True)
)  # from noded
NODE_TRUST: Final[Topic[saint_msgs.NodeTrust]] = Topic(
    "/saint/nodes/{node_id}/trust", saint_msgs.NodeTrust, Qos(reliable=True, depth=1, latched=True)
)  # from noded
NODE_ROLES: Final[Topic[saint_msgs.NodeRoles]] = Topic(
    "/saint/nodes/{node_id}/roles", saint_msgs.NodeRoles, Qos(reliable=True, depth=1, latched=True)
)  # from noded
NODE_STATUS: Final[Topic[saint_msgs.NodeStatus]] = Topic(
    "/saint/nodes/{node_id}/status", saint_msgs.NodeStatus, Qos(reliable=True, depth=1, latched=False)
)  # from noded
INPUT_RC: Final[Topic[saint_msgs.InputSample]] = Topic(
    "/saint/input/rc", saint_msgs.InputSample, Qos(reliable=False, depth=32, latched=False)
)  # from rcd
INPUT_LIVELINK: Final[Topic[saint_msgs.InputSample]] = Topic(
    "/saint/input/livelink", saint_msgs.InputSample, Qos(reliable=False, depth=32, latched=False)
)  # from livelinkd
INPUT_WEBSOCKET: Final[Topic[saint_msgs.InputSample]] = Topic(
    "/saint/input/websocket", saint_msgs.InputSample, Qos(reliable=False, depth=32, latched=False)
)  # from webd
INPUT_TELEOP: Final[Topic[saint_msgs.InputSample]] = Topic(
    "/saint/input/teleop", saint_msgs.InputSample, Qos(reliable=False, depth=32, latched=False)
)  # from teleopd
INPUT_AUTONOMOUS: Final[Topic[saint_msgs.InputSample]] = Topic(
    "/saint/input/autonomous", saint_msgs.InputSample, Qos(reliable=False, depth=32, latched=False)
)  # from any program
BATTERY: Final[Topic[sensor_msgs.BatteryState]] = Topic(
    "/saint/battery", sensor_msgs.BatteryState, Qos(reliable=True, depth=1, latched=False)
)  # from any program
RC_STATE: Final[Topic[saint_msgs.RCReceiverState]] = Topic(
    "/saint/rc/state", saint_msgs.RCReceiverState, Qos(reliable=True, depth=1, latched=False)
)  # from rcd
LIVELINK_FRAME: Final[Topic[saint_msgs.LiveLinkFrame]] = Topic(
    "/saint/livelink/frame", saint_msgs.LiveLinkFrame, Qos(reliable=True, depth=1, latched=False)
)  # from livelinkd
LIVELINK_SUBJECT: Final[Topic[saint_msgs.LiveLinkSubject]] = Topic(
    "/saint/livelink/subjects", saint_msgs.LiveLinkSubject, Qos(reliable=True, depth=1, latched=False)
)  # from livelinkd
ESTOP: Final[Topic[saint_msgs.EStop]] = Topic(
    "/saint/estop", saint_msgs.EStop, Qos(reliable=True, depth=1, latched=True)
)  # from routerd
ESTOP_REPORTS: Final[Topic[saint_msgs.StopReport]] = Topic(
    "/saint/estop/reports", saint_msgs.StopReport, Qos(reliable=True, depth=10, latched=False)
)  # from the roles, noded
ESTOP_OUTCOME: Final[Topic[saint_msgs.StopOutcomes]] = Topic(
    "/saint/estop/outcome", saint_msgs.StopOutcomes, Qos(reliable=True, depth=1, latched=True)
)  # from routerd
ROUTER_HEARTBEAT: Final[Topic[saint_msgs.RouterHeartbeat]] = Topic(
    "/saint/router/heartbeat", saint_msgs.RouterHeartbeat, Qos(reliable=False, depth=1, latched=False)
)  # from routerd
ROUTER_CREDENTIAL: Final[Topic[saint_msgs.RouterCredential]] = Topic(
    "/saint/router/credential", saint_msgs.RouterCredential, Qos(reliable=True, depth=1, latched=True)
)  # from routerd
ROLE_CREDENTIAL: Final[Topic[saint_msgs.RoleCredential]] = Topic(
    "/saint/roles/credential", saint_msgs.RoleCredential, Qos(reliable=True, depth=16, latched=True)
)  # from noded
ROUTER_WRITERS: Final[Topic[saint_msgs.RouterWriters]] = Topic(
    "/saint/router/writers", saint_msgs.RouterWriters, Qos(reliable=True, depth=1, latched=True)
)  # from routerd
ROUTER_STATUS: Final[Topic[saint_msgs.RouteStatus]] = Topic(
    "/saint/router/status", saint_msgs.RouteStatus, Qos(reliable=True, depth=1, latched=False)
)  # from routerd
HEAD_CMD: Final[Topic[saint_msgs.HeadCommand]] = Topic(
    "/saint/head/cmd", saint_msgs.HeadCommand, Qos(reliable=False, depth=1, latched=False)
)  # from routerd
HEAD_STATE: Final[Topic[saint_msgs.HeadState]] = Topic(
    "/saint/head/state", saint_msgs.HeadState, Qos(reliable=True, depth=1, latched=False)
)  # from role-headd
HEAD_EXPRESSION_CMD: Final[Topic[saint_msgs.HeadExpression]] = Topic(
    "/saint/head/expression/cmd", saint_msgs.HeadExpression, Qos(reliable=False, depth=1, latched=False)
)  # from routerd
HEAD_EXPRESSION_STATE: Final[Topic[saint_msgs.HeadExpression]] = Topic(
    "/saint/head/expression/state", saint_msgs.HeadExpression, Qos(reliable=True, depth=1, latched=False)
)  # from role-headd
HEAD_JOINT_STATES: Final[Topic[sensor_msgs.JointState]] = Topic(
    "/saint/head/joint_states", sensor_msgs.JointState, Qos(reliable=True, depth=1, latched=False)
)  # from role-headd
HEAD_IMU: Final[Topic[sensor_msgs.Imu]] = Topic(
    "/saint/head/imu", sensor_msgs.Imu, Qos(reliable=True, depth=1, latched=False)
)  # from role-headd
HEAD_CAMERA_CMD: Final[Topic[std_msgs.Bool]] = Topic(
    "/saint/head/camera/cmd", std_msgs.Bool, Qos(reliable=True, depth=10, latched=False)
)  # from any program
HEAD_CAMERA_RAW: Final[Topic[sensor_msgs.Image]] = Topic(
    "/saint/head/camera/image_raw", sensor_msgs.Image, Qos(reliable=False, depth=1, latched=False)
)  # from role-headd
HEAD_CAMERA_INFO: Final[Topic[sensor_msgs.CameraInfo]] = Topic(
    "/saint/head/camera/camera_info", sensor_msgs.CameraInfo, Qos(reliable=False, depth=1, latched=False)
)  # from role-headd
HEAD_CAMERA: Final[Topic[sensor_msgs.CompressedImage]] = Topic(
    "/saint/head/camera/image_raw/compressed", sensor_msgs.CompressedImage, Qos(reliable=False, depth=1, latched=False)
)  # from role-headd
HEAD_SENSORS: Final[Topic[saint_msgs.HeadSensors]] = Topic(
    "/saint/head/sensors", saint_msgs.HeadSensors, Qos(reliable=True, depth=1, latched=False)
)  # from role-headd
ROLE_MICROPHONE: Final[Topic[audio_common_msgs.AudioData]] = Topic(
    "/saint/{role}/microphone/audio", audio_common_msgs.AudioData, Qos(reliable=False, depth=10, latched=False)
)  # from the roles
ROLE_MICROPHONE_INFO: Final[Topic[audio_common_msgs.AudioInfo]] = Topic(
    "/saint/{role}/microphone/audio_info", audio_common_msgs.AudioInfo, Qos(reliable=True, depth=1, latched=True)
)  # from the roles
ROLE_LOUDSPEAKER: Final[Topic[audio_common_msgs.AudioData]] = Topic(
    "/saint/{role}/loudspeaker/audio", audio_common_msgs.AudioData, Qos(reliable=False, depth=10, latched=False)
)  # from teleopd, any program
ROLE_SOUND_STATE: Final[Topic[saint_msgs.SoundState]] = Topic(
    "/saint/{role}/sound/state", saint_msgs.SoundState, Qos(reliable=True, depth=1, latched=False)
)  # from the roles
ARM_CMD: Final[Topic[saint_msgs.ArmCommand]] = Topic(
    "/saint/arms/{instance}/cmd", saint_msgs.ArmCommand, Qos(reliable=False, depth=1, latched=False)
)  # from routerd
ARM_STATE: Final[Topic[saint_msgs.ArmState]] = Topic(
    "/saint/arms/{instance}/state", saint_msgs.ArmState, Qos(reliable=True, depth=1, latched=False)
)  # from role-armsd
ARM_JOINT_STATES: Final[Topic[sensor_msgs.JointState]] = Topic(
    "/saint/arms/{instance}/joint_states", sensor_msgs.JointState, Qos(reliable=True, depth=1, latched=False)
)  # from role-armsd
GRIPPER_CMD: Final[Topic[saint_msgs.GripperCommand]] = Topic(
    "/saint/arms/{instance}/gripper/cmd", saint_msgs.GripperCommand, Qos(reliable=False, depth=1, latched=False)
)  # from routerd
GRIPPER_STATE: Final[Topic[saint_msgs.GripperState]] = Topic(
    "/saint/arms/{instance}/gripper/state", saint_msgs.GripperState, Qos(reliable=True, depth=1, latched=False)
)  # from role-armsd
TRACKS_CMD_VEL: Final[Topic[geometry_msgs.Twist]] = Topic(
    "/saint/tracks/cmd_vel", geometry_msgs.Twist, Qos(reliable=False, depth=1, latched=False)
)  # from routerd
TRACKS_ESTOP: Final[Topic[std_msgs.Bool]] = Topic(
    "/saint/tracks/estop", std_msgs.Bool, Qos(reliable=True, depth=10, latched=False)
)  # from any program
TRACKS_STATE: Final[Topic[saint_msgs.TrackState]] = Topic(
    "/saint/tracks/state", saint_msgs.TrackState, Qos(reliable=True, depth=1, latched=False)
)  # from role-tracksd
TRACKS_ODOM: Final[Topic[nav_msgs.Odometry]] = Topic(
    "/saint/tracks/odom", nav_msgs.Odometry, Qos(reliable=True, depth=1, latched=False)
)  # from role-tracksd
TRACKS_MOTOR_CURRENT: Final[Topic[saint_msgs.MotorCurrent]] = Topic(
    "/saint/tracks/motor_current", saint_msgs.MotorCurrent, Qos(reliable=True, depth=1, latched=False)
)  # from role-tracksd
WAGON_CMD_VEL: Final[Topic[geometry_msgs.Twist]] = Topic(
    "/saint/wagon/cmd_vel", geometry_msgs.Twist, Qos(reliable=False, depth=1, latched=False)
)  # from routerd
WAGON_REQUEST: Final[Topic[saint_msgs.WagonRequest]] = Topic(
    "/saint/wagon/request", saint_msgs.WagonRequest, Qos(reliable=True, depth=10, latched=False)
)  # from routerd
WAGON_REPLY: Final[Topic[saint_msgs.WagonReply]] = Topic(
    "/saint/wagon/reply", saint_msgs.WagonReply, Qos(reliable=True, depth=10, latched=False)
)  # from role-wagond
WAGON_STATE: Final[Topic[saint_msgs.WagonState]] = Topic(
    "/saint/wagon/state", saint_msgs.WagonState, Qos(reliable=True, depth=1, latched=False)
)  # from role-wagond
WAGON_ODOM: Final[Topic[nav_msgs.Odometry]] = Topic(
    "/saint/wagon/odom", nav_msgs.Odometry, Qos(reliable=True, depth=1, latched=False)
)  # from role-wagond
WAGON_IMU: Final[Topic[sensor_msgs.Imu]] = Topic(
    "/saint/wagon/imu", sensor_msgs.Imu, Qos(reliable=True, depth=1, latched=False)
)  # from role-wagond
LEGS_CMD: Final[Topic[saint_msgs.LegsCommand]] = Topic(
    "/saint/legs/cmd", saint_msgs.LegsCommand, Qos(reliable=False, depth=1, latched=False)
)  # from routerd
LEGS_STATE: Final[Topic[saint_msgs.LegsState]] = Topic(
    "/saint/legs/state", saint_msgs.LegsState, Qos(reliable=True, depth=1, latched=False)
)  # from role-legsd
LEGS_JOINT_STATES: Final[Topic[sensor_msgs.JointState]] = Topic(
    "/saint/legs/joint_states", sensor_msgs.JointState, Qos(reliable=True, depth=1, latched=False)
)  # from role-legsd
LEGS_IMU: Final[Topic[sensor_msgs.Imu]] = Topic(
    "/saint/legs/imu", sensor_msgs.Imu, Qos(reliable=True, depth=1, latched=False)
)  # from role-legsd
TF: Final[Topic[tf2_msgs.TFMessage]] = Topic(
    "/tf", tf2_msgs.TFMessage, Qos(reliable=True, depth=100, latched=False)
)  # from role-tracksd, role-wagond, adoptiond
TF_STATIC: Final[Topic[tf2_msgs.TFMessage]] = Topic(
    "/tf_static", tf2_msgs.TFMessage, Qos(reliable=True, depth=1, latched=True)
)  # from adoptiond
ROBOT_DESCRIPTION: Final[Topic[std_msgs.String]] = Topic(
    "/robot_description", std_msgs.String, Qos(reliable=True, depth=1, latched=True)
)  # from adoptiond
JOINT_STATES: Final[Topic[sensor_msgs.JointState]] = Topic(
    "/joint_states", sensor_msgs.JointState, Qos(reliable=True, depth=10, latched=False)
)  # from adoptiond
DIAGNOSTICS: Final[Topic[diagnostic_msgs.DiagnosticArray]] = Topic(
    "/diagnostics", diagnostic_msgs.DiagnosticArray, Qos(reliable=True, depth=10, latched=False)
)  # from adoptiond, role-legsd, role-wagond
CMD_VEL: Final[Topic[geometry_msgs.Twist]] = Topic(
    "/cmd_vel", geometry_msgs.Twist, Qos(reliable=False, depth=1, latched=False)
)  # from any program
JOY: Final[Topic[sensor_msgs.Joy]] = Topic(
    "/joy", sensor_msgs.Joy, Qos(reliable=False, depth=1, latched=False)
)  # from any program
PARTS_CMD: Final[Topic[saint_msgs.PartCommand]] = Topic(
    "/saint/parts/{instance}/cmd", saint_msgs.PartCommand, Qos(reliable=False, depth=1, latched=False)
)  # from routerd
PARTS_STATE: Final[Topic[saint_msgs.PartState]] = Topic(
    "/saint/parts/{instance}/state", saint_msgs.PartState, Qos(reliable=True, depth=1, latched=False)
)  # from role-partsd
PARTS_JOINT_STATES: Final[Topic[sensor_msgs.JointState]] = Topic(
    "/saint/parts/{instance}/joint_states", sensor_msgs.JointState, Qos(reliable=True, depth=1, latched=False)
)  # from role-partsd
ROLE_PARTS_CMD: Final[Topic[saint_msgs.PartCommand]] = Topic(
    "/saint/{role}/parts/cmd", saint_msgs.PartCommand, Qos(reliable=False, depth=1, latched=False)
)  # from routerd
ROLE_PARTS_STATE: Final[Topic[saint_msgs.PartState]] = Topic(
    "/saint/{role}/parts/state", saint_msgs.PartState, Qos(reliable=True, depth=1, latched=False)
)  # from the roles
ROLE_FAULTS: Final[Topic[saint_msgs.RoleFault]] = Topic(
    "/saint/roles/faults", saint_msgs.RoleFault, Qos(reliable=True, depth=10, latched=False)
)  # from the roles
CONSOLE_INPUT: Final[Topic[saint_msgs.ConsoleInput]] = Topic(
    "/saint/console/input", saint_msgs.ConsoleInput, Qos(reliable=True, depth=10, latched=False)
)  # from role-consoled
CONSOLE_OVERRIDE: Final[Topic[saint_msgs.ConsoleOverride]] = Topic(
    "/saint/console/override", saint_msgs.ConsoleOverride, Qos(reliable=True, depth=10, latched=False)
)  # from role-consoled
CONSOLE_DISPLAY: Final[Topic[saint_msgs.ConsoleDisplay]] = Topic(
    "/saint/console/display", saint_msgs.ConsoleDisplay, Qos(reliable=True, depth=10, latched=False)
)  # from any program
CONSOLE_ALERTS: Final[Topic[saint_msgs.ConsoleAlert]] = Topic(
    "/saint/console/alerts", saint_msgs.ConsoleAlert, Qos(reliable=True, depth=10, latched=False)
)  # from adoptiond, otad
SYSTEM_STATUS: Final[Topic[saint_msgs.SystemStatus]] = Topic(
    "/saint/system/status", saint_msgs.SystemStatus, Qos(reliable=True, depth=1, latched=False)
)  # from adoptiond
NODE_ADOPT: Final[Service[saint_msgs.AdoptNode_Request, saint_msgs.AdoptNode_Response]] = Service(
    "/saint/node/{node_id}/adopt",
    "saint_msgs/srv/AdoptNode",
    "RIHS01_08a127a68b6021a6b7925dcb9cc0f95775fca07178594aa56e228872e11becef",
    saint_msgs.AdoptNode_Request,
    saint_msgs.AdoptNode_Response,
)  # served by noded
NODE_RESET: Final[Service[saint_msgs.ResetNode_Request, saint_msgs.ResetNode_Response]] = Service(
    "/saint/node/{node_id}/reset",
    "saint_msgs/srv/ResetNode",
    "RIHS01_cc74e5015e4ac845daca84a1a4d65c8f7dcd0b4a75b0b3484baedd8457cdf3bc",
    saint_msgs.ResetNode_Request,
    saint_msgs.ResetNode_Response,
)  # served by noded
NODE_GPIO_PROBE: Final[Service[saint_msgs.GPIOProbe_Request, saint_msgs.GPIOProbe_Response]] = Service(
    "/saint/node/{node_id}/gpio_probe",
    "saint_msgs/srv/GPIOProbe",
    "RIHS01_8fec02fad3c453f4ca383884923af07c311758024d8d26278d56f5395b0453b1",
    saint_msgs.GPIOProbe_Request,
    saint_msgs.GPIOProbe_Response,
)  # served by noded
NODE_ORDER: Final[Service[saint_msgs.SignedOrder_Request, saint_msgs.SignedOrder_Response]] = Service(
    "/saint/node/{node_id}/order",
    "saint_msgs/srv/SignedOrder",
    "RIHS01_141c0d797436f03aea2ccc8d6ffd26e6539011870c1b4878a80418b962f354df",
    saint_msgs.SignedOrder_Request,
    saint_msgs.SignedOrder_Response,
)  # served by noded
NODE_UPDATE: Final[Service[saint_msgs.UpdateNode_Request, saint_msgs.UpdateNode_Response]] = Service(
    "/saint/node/{node_id}/update",
    "saint_msgs/srv/UpdateNode",
    "RIHS01_9b5f947c819dfef894f871c991bfcfc892215258c34c6f959720a9d6ddf78924",
    saint_msgs.UpdateNode_Request,
    saint_msgs.UpdateNode_Response,
)  # served by noded
NODES_ADOPT: Final[Service[saint_msgs.AdoptNode_Request, saint_msgs.AdoptNode_Response]] = Service(
    "/saint/nodes/adopt",
    "saint_msgs/srv/AdoptNode",
    "RIHS01_08a127a68b6021a6b7925dcb9cc0f95775fca07178594aa56e228872e11becef",
    saint_msgs.AdoptNode_Request,
    saint_msgs.AdoptNode_Response,
)  # served by adoptiond
NODES_RESET: Final[Service[saint_msgs.ResetNode_Request, saint_msgs.ResetNode_Response]] = Service(
    "/saint/nodes/reset",
    "saint_msgs/srv/ResetNode",
    "RIHS01_cc74e5015e4ac845daca84a1a4d65c8f7dcd0b4a75b0b3484baedd8457cdf3bc",
    saint_msgs.ResetNode_Request,
    saint_msgs.ResetNode_Response,
)  # served by adoptiond
FIRMWARE_CHECK: Final[Service[saint_msgs.FirmwareCheck_Request, saint_msgs.FirmwareCheck_Response]] = Service(
    "/saint/firmware/check",
    "saint_msgs/srv/FirmwareCheck",
    "RIHS01_d4376c9916e48a73c6dc23aedd72b32f1a12fb8fab4868c3a601b45cc7b70462",
    saint_msgs.FirmwareCheck_Request,
    saint_msgs.FirmwareCheck_Response,
)  # served by otad
FIRMWARE_DOWNLOAD: Final[Service[saint_msgs.FirmwareDownload_Request, saint_msgs.FirmwareDownload_Response]] = Service(
    "/saint/firmware/download",
    "saint_msgs/srv/FirmwareDownload",
    "RIHS01_ae71380942945dee553146c7f505e6c43845b6629a25b7e877d24f274204ac7c",
    saint_msgs.FirmwareDownload_Request,
    saint_msgs.FirmwareDownload_Response,
)  # served by otad
NODES_CONFIG: Final[Service[saint_msgs.GetRoleConfig_Request, saint_msgs.GetRoleConfig_Response]] = Service(
    "/saint/nodes/config",
    "saint_msgs/srv/GetRoleConfig",
    "RIHS01_3cb6c6e40c4f2d410a9dcb1aca12e5c302c1a2137930686733fc6aec15bb43fe",
    saint_msgs.GetRoleConfig_Request,
    saint_msgs.GetRoleConfig_Response,
)  # served by adoptiond
SYSTEM_SHUTDOWN: Final[Service[saint_msgs.SystemCommand_Request, saint_msgs.SystemCommand_Response]] = Service(
    "/saint/system/shutdown",
    "saint_msgs/srv/SystemCommand",
    "RIHS01_3745c7c9887b6e080d5998509605ff8e550c9efe421465753bf802f68b5d3be0",
    saint_msgs.SystemCommand_Request,
    saint_msgs.SystemCommand_Response,
)  # served by adoptiond
SYSTEM_STATUS_QUERY: Final[Service[saint_msgs.GetSystemStatus_Request, saint_msgs.GetSystemStatus_Response]] = Service(
    "/saint/system/status",
    "saint_msgs/srv/GetSystemStatus",
    "RIHS01_fd19a9d077f07b61043e32a8e0a02a897019b394baf2866adbebc4bb575f044c",
    saint_msgs.GetSystemStatus_Request,
    saint_msgs.GetSystemStatus_Response,
)  # served by adoptiond

BY_TYPE: Final[dict[str, type[Any]]] = {
    "saint_msgs/msg/ArmCommand": saint_msgs.ArmCommand,
    "saint_msgs/msg/ArmState": saint_msgs.ArmState,
    "builtin_interfaces/msg/Time": builtin_interfaces.Time,
    "saint_msgs/msg/ConsoleAlert": saint_msgs.ConsoleAlert,
    "saint_msgs/msg/ConsoleDisplay": saint_msgs.ConsoleDisplay,
    "saint_msgs/msg/ConsoleInput": saint_msgs.ConsoleInput,
    "saint_msgs/msg/ConsoleOverride": saint_msgs.ConsoleOverride,
    "saint_msgs/msg/EStopPress": saint_msgs.EStopPress,
    "saint_msgs/msg/EStop": saint_msgs.EStop,
    "saint_msgs/msg/RivalStatus": saint_msgs.RivalStatus,
    "saint_msgs/msg/FieldStatus": saint_msgs.FieldStatus,
    "saint_msgs/msg/FirmwareStatus": saint_msgs.FirmwareStatus,
    "saint_msgs/msg/GPIOPin": saint_msgs.GPIOPin,
    "saint_msgs/msg/GripperCommand": saint_msgs.GripperCommand,
    "saint_msgs/msg/GripperState": saint_msgs.GripperState,
    "saint_msgs/msg/HeadCommand": saint_msgs.HeadCommand,
    "saint_msgs/msg/HeadExpression": saint_msgs.HeadExpression,
    "saint_msgs/msg/HeadSensors": saint_msgs.HeadSensors,
    "saint_msgs/msg/HeadState": saint_msgs.HeadState,
    "saint_msgs/msg/InputSample": saint_msgs.InputSample,
    "saint_msgs/msg/LegsAlert": saint_msgs.LegsAlert,
    "saint_msgs/msg/LegsCommand": saint_msgs.LegsCommand,
    "saint_msgs/msg/LegsState": saint_msgs.LegsState,
    "geometry_msgs/msg/Vector3": geometry_msgs.Vector3,
    "geometry_msgs/msg/Quaternion": geometry_msgs.Quaternion,
    "geometry_msgs/msg/Transform": geometry_msgs.Transform,
    "saint_msgs/msg/LiveLinkFrame": saint_msgs.LiveLinkFrame,
    "saint_msgs/msg/LiveLinkSubject": saint_msgs.LiveLinkSubject,
    "saint_msgs/msg/MotorCurrent": saint_msgs.MotorCurrent,
    "saint_msgs/msg/PeripheralInfo": saint_msgs.PeripheralInfo,
    "saint_msgs/msg/NodeAnnouncement": saint_msgs.NodeAnnouncement,
    "saint_msgs/msg/NodeGPIOStatus": saint_msgs.NodeGPIOStatus,
    "saint_msgs/msg/NodeRole": saint_msgs.NodeRole,
    "saint_msgs/msg/NodeRoles": saint_msgs.NodeRoles,
    "saint_msgs/msg/NodeStatus": saint_msgs.NodeStatus,
    "saint_msgs/msg/NodeTrust": saint_msgs.NodeTrust,
    "saint_msgs/msg/PartCommand": saint_msgs.PartCommand,
    "saint_msgs/msg/PartState": saint_msgs.PartState,
    "saint_msgs/msg/RCChannelState": saint_msgs.RCChannelState,
    "saint_msgs/msg/RCReceiverState": saint_msgs.RCReceiverState,
    "saint_msgs/msg/RoleCredential": saint_msgs.RoleCredential,
    "saint_msgs/msg/RoleFault": saint_msgs.RoleFault,
    "saint_msgs/msg/RouteStatus": saint_msgs.RouteStatus,
    "saint_msgs/msg/RouterCredential": saint_msgs.RouterCredential,
    "saint_msgs/msg/RouterHeartbeat": saint_msgs.RouterHeartbeat,
    "saint_msgs/msg/RouterWriters": saint_msgs.RouterWriters,
    "saint_msgs/msg/SoundState": saint_msgs.SoundState,
    "saint_msgs/msg/StopOutcome": saint_msgs.StopOutcome,
    "saint_msgs/msg/StopOutcomes": saint_msgs.StopOutcomes,
    "saint_msgs/msg/StopReport": saint_msgs.StopReport,
    "saint_msgs/msg/SystemStatus": saint_msgs.SystemStatus,
    "saint_msgs/msg/TrackState": saint_msgs.TrackState,
    "saint_msgs/msg/WagonReply": saint_msgs.WagonReply,
    "saint_msgs/msg/WagonRequest": saint_msgs.WagonRequest,
    "saint_msgs/msg/WagonState": saint_msgs.WagonState,
    "saint_msgs/srv/AdoptNode_Request": saint_msgs.AdoptNode_Request,
    "saint_msgs/srv/AdoptNode_Response": saint_msgs.AdoptNode_Response,
    "saint_msgs/srv/FirmwareCheck_Request": saint_msgs.FirmwareCheck_Request,
    "saint_msgs/srv/FirmwareCheck_Response": saint_msgs.FirmwareCheck_Response,
    "saint_msgs/srv/FirmwareDownload_Request": saint_msgs.FirmwareDownload_Request,
    "saint_msgs/srv/FirmwareDownload_Response": saint_msgs.FirmwareDownload_Response,
    "saint_msgs/srv/GPIOProbe_Request": saint_msgs.GPIOProbe_Request,
    "saint_msgs/srv/GPIOProbe_Response": saint_msgs.GPIOProbe_Response,
    "saint_msgs/srv/GetRoleConfig_Request": saint_msgs.GetRoleConfig_Request,
    "saint_msgs/srv/GetRoleConfig_Response": saint_msgs.GetRoleConfig_Response,
    "saint_msgs/srv/GetSystemStatus_Request": saint_msgs.GetSystemStatus_Request,
    "saint_msgs/srv/GetSystemStatus_Response": saint_msgs.GetSystemStatus_Response,
    "saint_msgs/srv/ResetNode_Request": saint_msgs.ResetNode_Request,
    "saint_msgs/srv/ResetNode_Response": saint_msgs.ResetNode_Response,
    "saint_msgs/srv/SignedOrder_Request": saint_msgs.SignedOrder_Request,
    "saint_msgs/srv/SignedOrder_Response": saint_msgs.SignedOrder_Response,
    "saint_msgs/srv/SystemCommand_Request": saint_msgs.SystemCommand_Request,
    "saint_msgs/srv/SystemCommand_Response": saint_msgs.SystemCommand_Response,
    "saint_msgs/srv/UpdateNode_Request": saint_msgs.UpdateNode_Request,
    "saint_msgs/srv/UpdateNode_Response": saint_msgs.UpdateNode_Response,
    "audio_common_msgs/msg/AudioData": audio_common_msgs.AudioData,
    "audio_common_msgs/msg/AudioInfo": audio_common_msgs.AudioInfo,
    "std_msgs/msg/Header": std_msgs.Header,
    "diagnostic_msgs/msg/KeyValue": diagnostic_msgs.KeyValue,
    "diagnostic_msgs/msg/DiagnosticStatus": diagnostic_msgs.DiagnosticStatus,
    "diagnostic_msgs/msg/DiagnosticArray": diagnostic_msgs.DiagnosticArray,
    "geometry_msgs/msg/Twist": geometry_msgs.Twist,
    "geometry_msgs/msg/Point": geometry_msgs.Point,
    "geometry_msgs/msg/Pose": geometry_msgs.Pose,
    "geometry_msgs/msg/PoseWithCovariance": geometry_msgs.PoseWithCovariance,
    "geometry_msgs/msg/TwistWithCovariance": geometry_msgs.TwistWithCovariance,
    "nav_msgs/msg/Odometry": nav_msgs.Odometry,
    "rmw_dds_common/msg/Gid": rmw_dds_common.Gid,
    "rmw_dds_common/msg/NodeEntitiesInfo": rmw_dds_common.NodeEntitiesInfo,
    "rmw_dds_common/msg/ParticipantEntitiesInfo": rmw_dds_common.ParticipantEntitiesInfo,
    "sensor_msgs/msg/BatteryState": sensor_msgs.BatteryState,
    "sensor_msgs/msg/RegionOfInterest": sensor_msgs.RegionOfInterest,
    "sensor_msgs/msg/CameraInfo": sensor_msgs.CameraInfo,
    "sensor_msgs/msg/CompressedImage": sensor_msgs.CompressedImage,
    "sensor_msgs/msg/Image": sensor_msgs.Image,
    "sensor_msgs/msg/Imu": sensor_msgs.Imu,
    "sensor_msgs/msg/JointState": sensor_msgs.JointState,
    "sensor_msgs/msg/Joy": sensor_msgs.Joy,
    "std_msgs/msg/Bool": std_msgs.Bool,
    "std_msgs/msg/Empty": std_msgs.Empty,
    "std_msgs/msg/String": std_msgs.String,
    "geometry_msgs/msg/TransformStamped": geometry_msgs.TransformStamped,
    "tf2_msgs/msg/TFMessage": tf2_msgs.TFMessage,
}
