"""A real ROS 2 beside the product, for tests of what the two say to each other."""
