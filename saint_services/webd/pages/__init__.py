"""Files of the web pages, the robot's model and the camera picture."""
