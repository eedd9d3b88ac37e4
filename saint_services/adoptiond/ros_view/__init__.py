"""What usual ROS 2 programs read of the whole robot: model, joints, transforms, diagnostics."""
