"""Drives one arm: six joints and a gripper."""
