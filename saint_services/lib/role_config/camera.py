"""Models what a camera's calibration says, in the form that ROS's calibration tools write: the text
of their file is pasted below `camera: calibration:` of a head's manifest. Not here: cameras
(lib/hw/cameras), their messages (role_headd/camera_topics.py).
"""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from ..strict import StrictModel

PixelCount = Annotated[int, Field(ge=16, le=2592)]


class Matrix(StrictModel):
    """A matrix, row by row."""

    rows: int = Field(ge=1, le=4)
    cols: int = Field(ge=1, le=14)
    data: tuple[float, ...]

    @model_validator(mode="after")
    def _is_whole(self) -> "Matrix":
        if len(self.data) != self.rows * self.cols:
            raise ValueError(f"{len(self.data)} numbers for {self.rows} x {self.cols}")
        return self


_IDENTITY = Matrix(rows=3, cols=3, data=(1, 0, 0, 0, 1, 0, 0, 0, 1))


class CameraCalibration(StrictModel):
    """How the lens draws, measured with one resolution (sensor_msgs/CameraInfo explains it)."""

    image_width: PixelCount
    image_height: PixelCount
    camera_name: str = ""
    distortion_model: Literal["plumb_bob", "rational_polynomial", "equidistant"] = "plumb_bob"
    camera_matrix: Matrix
    distortion_coefficients: Matrix
    rectification_matrix: Matrix = _IDENTITY
    projection_matrix: Matrix

    @model_validator(mode="after")
    def _have_their_sizes(self) -> "CameraCalibration":
        for name, shape in (
            ("camera_matrix", (3, 3)),
            ("rectification_matrix", (3, 3)),
            ("projection_matrix", (3, 4)),
        ):
            matrix = getattr(self, name)
            if (matrix.rows, matrix.cols) != shape:
                raise ValueError(f"{name} is {matrix.rows} x {matrix.cols}, not {shape}")
        return self
