"""The `dds` backend: a thin binding on Cyclone DDS's C library with ROS 2 wire conventions."""
