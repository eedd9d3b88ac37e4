"""Virtual machines that boot the image: QEMU's `virt` board with Debian's U-Boot.

`machine.py` is one machine, `disk.py` its card, `channel.py` a console of it, `shell.py` a root
shell in it, `qmp.py` its power. What is tested with them stands in tests/image.
"""
