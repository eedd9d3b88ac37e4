"""The robot as its manifest describes it: its roles, and the joints of its model."""
