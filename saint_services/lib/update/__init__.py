"""The update of the machine that this process runs on: installer, trial of a new release, verdict.
Used by noded on a node and by otad on a machine that is only a server. Not here: which machine is
updated when (otad), and the repository of releases (otad).
"""
