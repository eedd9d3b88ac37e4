"""A small service manager for laptops: starts the units of systemd/ with the same socket passing,
readiness, watchdog and restarts as systemd, below one folder, for several machines at once.

unitfile.py reads lines, directives.py knows their names, units.py makes them units, life.py and
ending.py decide, listening.py opens sockets, process.py starts processes, journal.py keeps what
they print; service.py connects these for one service, machine.py for one machine, launcher.py for
all.
board.py is what lies below a machine's services (slots, power), updates.py puts RAUC onto it.
"""
