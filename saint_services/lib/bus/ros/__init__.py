"""The `rclpy` backend: the bus of a sourced ROS 2 installation."""
