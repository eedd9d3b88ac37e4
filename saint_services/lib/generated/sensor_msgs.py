"""Messages of the ROS 2 package sensor_msgs.

Written by `make gen` from manifests/; do not edit.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from ..bus import cdr
from ..bus.message import MessageBase
from .geometry_msgs import Quaternion, Vector3
from .std_msgs import Header


class BatteryState(MessageBase):
    """sensor_msgs/msg/BatteryState"""

    __slots__ = ("header", "voltage", "temperature", "current", "charge", "capacity", "design_capacity", "percentage", "power_supply_status", "power_supply_health", "power_supply_technology", "present", "cell_voltage", "cell_temperature", "location", "serial_number")
    TYPE: ClassVar[str] = "sensor_msgs/msg/BatteryState"
    HASH: ClassVar[str] = "RIHS01_4bee5dfce981c98faa6828b868307a0a73f992ed0789f374ee96c8f840e69741"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("header", Header), ("voltage", "float32"), ("temperature", "float32"), ("current", "float32"), ("charge", "float32"), ("capacity", "float32"), ("design_capacity", "float32"), ("percentage", "float32"), ("power_supply_status", "uint8"), ("power_supply_health", "uint8"), ("power_supply_technology", "uint8"), ("present", "bool"), ("cell_voltage", cdr.Sequence("float32", 0)), ("cell_temperature", cdr.Sequence("float32", 0)), ("location", "string"), ("serial_number", "string"))

    def __init__(
        self,
        header: Header | None = None,
        voltage: float = 0.0,
        temperature: float = 0.0,
        current: float = 0.0,
        charge: float = 0.0,
        capacity: float = 0.0,
        design_capacity: float = 0.0,
        percentage: float = 0.0,
        power_supply_status: int = 0,
        power_supply_health: int = 0,
        power_supply_technology: int = 0,
        present: bool = False,
        cell_voltage: Sequence[float] = (),
        cell_temperature: Sequence[float] = (),
        location: str = "",
        serial_number: str = "",
    ) -> None:
        self.header = Header() if header is None else header
        self.voltage = voltage
        self.temperature = temperature
        self.current = current
        self.charge = charge
        self.capacity = capacity
        self.design_capacity = design_capacity
        self.percentage = percentage
        self.power_supply_status = power_supply_status
        self.power_supply_health = power_supply_health
        self.power_supply_technology = power_supply_technology
        self.present = present
        self.cell_voltage = cell_voltage
        self.cell_temperature = cell_temperature
        self.location = location
        self.serial_number = serial_number


class RegionOfInterest(MessageBase):
    """sensor_msgs/msg/RegionOfInterest"""

    __slots__ = ("x_offset", "y_offset", "height", "width", "do_rectify")
    TYPE: ClassVar[str] = "sensor_msgs/msg/RegionOfInterest"
    HASH: ClassVar[str] = "RIHS01_ad16bcba5f9131dcdba6fbded19f726f5440e3c513b4fb586dd3027eeed8abb1"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("x_offset", "uint32"), ("y_offset", "uint32"), ("height", "uint32"), ("width", "uint32"), ("do_rectify", "bool"))

    def __init__(
        self,
        x_offset: int = 0,
        y_offset: int = 0,
        height: int = 0,
        width: int = 0,
        do_rectify: bool = False,
    ) -> None:
        self.x_offset = x_offset
        self.y_offset = y_offset
        self.height = height
        self.width = width
        self.do_rectify = do_rectify


class CameraInfo(MessageBase):
    """sensor_msgs/msg/CameraInfo"""

    __slots__ = ("header", "height", "width", "distortion_model", "d", "k", "r", "p", "binning_x", "binning_y", "roi")
    TYPE: ClassVar[str] = "sensor_msgs/msg/CameraInfo"
    HASH: ClassVar[str] = "RIHS01_b3dfd68ff46c9d56c80fd3bd4ed22c7a4ddce8c8348f2f59c299e73118e7e275"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("header", Header), ("height", "uint32"), ("width", "uint32"), ("distortion_model", "string"), ("d", cdr.Sequence("float64", 0)), ("k", cdr.Array("float64", 9)), ("r", cdr.Array("float64", 9)), ("p", cdr.Array("float64", 12)), ("binning_x", "uint32"), ("binning_y", "uint32"), ("roi", RegionOfInterest))

    def __init__(
        self,
        header: Header | None = None,
        height: int = 0,
        width: int = 0,
        distortion_model: str = "",
        d: Sequence[float] = (),
        k: Sequence[float] = (0.0,) * 9,
        r: Sequence[float] = (0.0,) * 9,
        p: Sequence[float] = (0.0,) * 12,
        binning_x: int = 0,
        binning_y: int = 0,
        roi: RegionOfInterest | None = None,
    ) -> None:
        self.header = Header() if header is None else header
        self.height = height
        self.width = width
        self.distortion_model = distortion_model
        self.d = d
        self.k = k
        self.r = r
        self.p = p
        self.binning_x = binning_x
        self.binning_y = binning_y
        self.roi = RegionOfInterest() if roi is None else roi


class CompressedImage(MessageBase):
    """sensor_msgs/msg/CompressedImage"""

    __slots__ = ("header", "format", "data")
    TYPE: ClassVar[str] = "sensor_msgs/msg/CompressedImage"
    HASH: ClassVar[str] = "RIHS01_15640771531571185e2efc8a100baf923961a4d15d5569652e6cb6691e8e371a"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("header", Header), ("format", "string"), ("data", cdr.Sequence("uint8", 0)))

    def __init__(
        self,
        header: Header | None = None,
        format: str = "",
        data: bytes = b"",
    ) -> None:
        self.header = Header() if header is None else header
        self.format = format
        self.data = data


class Image(MessageBase):
    """sensor_msgs/msg/Image"""

    __slots__ = ("header", "height", "width", "encoding", "is_bigendian", "step", "data")
    TYPE: ClassVar[str] = "sensor_msgs/msg/Image"
    HASH: ClassVar[str] = "RIHS01_d31d41a9a4c4bc8eae9be757b0beed306564f7526c88ea6a4588fb9582527d47"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("header", Header), ("height", "uint32"), ("width", "uint32"), ("encoding", "string"), ("is_bigendian", "uint8"), ("step", "uint32"), ("data", cdr.Sequence("uint8", 0)))

    def __init__(
        self,
        header: Header | None = None,
        height: int = 0,
        width: int = 0,
        encoding: str = "",
        is_bigendian: int = 0,
        step: int = 0,
        data: bytes = b"",
    ) -> None:
        self.header = Header() if header is None else header
        self.height = height
        self.width = width
        self.encoding = encoding
        self.is_bigendian = is_bigendian
        self.step = step
        self.data = data


class Imu(MessageBase):
    """sensor_msgs/msg/Imu"""

    __slots__ = ("header", "orientation", "orientation_covariance", "angular_velocity", "angular_velocity_covariance", "linear_acceleration", "linear_acceleration_covariance")
    TYPE: ClassVar[str] = "sensor_msgs/msg/Imu"
    HASH: ClassVar[str] = "RIHS01_7d9a00ff131080897a5ec7e26e315954b8eae3353c3f995c55faf71574000b5b"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("header", Header), ("orientation", Quaternion), ("orientation_covariance", cdr.Array("float64", 9)), ("angular_velocity", Vector3), ("angular_velocity_covariance", cdr.Array("float64", 9)), ("linear_acceleration", Vector3), ("linear_acceleration_covariance", cdr.Array("float64", 9)))

    def __init__(
        self,
        header: Header | None = None,
        orientation: Quaternion | None = None,
        orientation_covariance: Sequence[float] = (0.0,) * 9,
        angular_velocity: Vector3 | None = None,
        angular_velocity_covariance: Sequence[float] = (0.0,) * 9,
        linear_acceleration: Vector3 | None = None,
        linear_acceleration_covariance: Sequence[float] = (0.0,) * 9,
    ) -> None:
        self.header = Header() if header is None else header
        self.orientation = Quaternion() if orientation is None else orientation
        self.orientation_covariance = orientation_covariance
        self.angular_velocity = Vector3() if angular_velocity is None else angular_velocity
        self.angular_velocity_covariance = angular_velocity_covariance
        self.linear_acceleration = Vector3() if linear_acceleration is None else linear_acceleration
        self.linear_acceleration_covariance = linear_acceleration_covariance


class JointState(MessageBase):
    """sensor_msgs/msg/JointState"""

    __slots__ = ("header", "name", "position", "velocity", "effort")
    TYPE: ClassVar[str] = "sensor_msgs/msg/JointState"
    HASH: ClassVar[str] = "RIHS01_a13ee3a330e346c9d87b5aa18d24e11690752bd33a0350f11c5882bc9179260e"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("header", Header), ("name", cdr.Sequence("string", 0)), ("position", cdr.Sequence("float64", 0)), ("velocity", cdr.Sequence("float64", 0)), ("effort", cdr.Sequence("float64", 0)))

    def __init__(
        self,
        header: Header | None = None,
        name: Sequence[str] = (),
        position: Sequence[float] = (),
        velocity: Sequence[float] = (),
        effort: Sequence[float] = (),
    ) -> None:
        self.header = Header() if header is None else header
        self.name = name
        self.position = position
        self.velocity = velocity
        self.effort = effort


class Joy(MessageBase):
    """sensor_msgs/msg/Joy"""

    __slots__ = ("header", "axes", "buttons")
    TYPE: ClassVar[str] = "sensor_msgs/msg/Joy"
    HASH: ClassVar[str] = "RIHS01_0d356c79cad3401e35ffeb75a96a96e08be3ef896b8b83841d73e890989372c5"
    FIELDS: ClassVar[tuple[tuple[str, Any], ...]] = (("header", Header), ("axes", cdr.Sequence("float32", 0)), ("buttons", cdr.Sequence("int32", 0)))

    def __init__(
        self,
        header: Header | None = None,
        axes: Sequence[float] = (),
        buttons: Sequence[int] = (),
    ) -> None:
        self.header = Header() if header is None else header
        self.axes = axes
        self.buttons = buttons
