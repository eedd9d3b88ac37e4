"""The messages between a robot and the controller that walks it."""
