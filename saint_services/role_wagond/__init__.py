"""Hosts a CAN wagon's BALANCE board: drive, arming, stop, odometry."""
