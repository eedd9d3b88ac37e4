"""Random sets of processes killed, frozen or starved while the robot drives: `make test-faults`."""
