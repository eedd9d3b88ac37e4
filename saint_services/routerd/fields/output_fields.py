"""Makes the output fields of a robot from what its roles say of them. Pure."""

from .claims import OutputField
from .targets import RobotTargets


def output_fields(robot: RobotTargets) -> dict[tuple[str, str], OutputField]:
    """Every field at rest, by target and name, in the order of the manifests."""
    return {
        (command.target, name): _output_field(robot, command.target, name, index)
        for index, command in enumerate(robot.commands)
        for name, _ in command.fields
    }


def _output_field(robot: RobotTargets, target: str, name: str, command: int) -> OutputField:
    spec = robot.fields[target][name]
    return OutputField(
        target=target,
        field=name,
        unit=spec.unit,
        is_velocity=spec.rests_at_zero,
        low=spec.limits[0],
        high=spec.limits[1],
        max_rate=spec.max_rate,
        on_loss=spec.on_loss,
        neutral=spec.neutral,
        park=spec.neutral if spec.park is None else spec.park,
        command=command,
    )
