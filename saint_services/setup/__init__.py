"""The first job of every boot: turns the settings of this machine into the settings of its
services.
"""
