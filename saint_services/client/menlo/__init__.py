"""Lets programs of menlo-sdk drive a walking robot of SAINT.OS, within its limits."""
