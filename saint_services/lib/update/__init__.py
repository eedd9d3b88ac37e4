"""The update of the machine that this process runs on: installation, trial of a new release,
verdict. noded uses it on a node, otad on a machine that is only a server. Not here: when a machine
is updated, and the repository of releases (otad).
"""
