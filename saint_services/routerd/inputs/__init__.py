"""Inputs: sources of samples, the participants that write them, the buttons of the console."""
