"""The robot's figure: the model that page, ROS and kinematics show, generated from the robot's
parts or the owner's URDF.
"""
