"""Serial bus servos of Robotis: the Dynamixel X series with protocol 2.0."""
