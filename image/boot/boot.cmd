# U-Boot chooses the slot. The same script runs on a Pi (mmc) and in QEMU (virtio).
#
# RAUC's environment (which slot first, how many tries each has left) lies twice in the raw gap before
# the first partition, 16 KiB each: at 1 MiB and at 1 MiB + 64 KiB. RAUC writes the first copy only;
# each boot writes both, the second one first, so that one of them is whole at every moment.
# A try is counted before the kernel is loaded; whatever fails afterwards ends in a reset.
echo "saint: boot script on ${devtype} ${devnum}"
test -n "${devnum}" || setenv devnum 0
${devtype} dev ${devnum}
setexpr env_addr ${scriptaddr} + 0x100000
# In sectors of 512 bytes.
setenv env_copy_1 0x800
setenv env_copy_2 0x880
setenv env_sectors 0x20

setenv BOOT_ORDER
setenv BOOT_A_LEFT
setenv BOOT_B_LEFT
if ${devtype} read ${env_addr} ${env_copy_1} ${env_sectors} && env import -c ${env_addr} 0x4000 BOOT_ORDER BOOT_A_LEFT BOOT_B_LEFT; then
  echo "saint: environment from copy 1"
elif ${devtype} read ${env_addr} ${env_copy_2} ${env_sectors} && env import -c ${env_addr} 0x4000 BOOT_ORDER BOOT_A_LEFT BOOT_B_LEFT; then
  echo "saint: copy 1 of the environment is damaged, taking copy 2"
else
  echo "saint: both copies of the environment are damaged, taking defaults"
fi
test -n "${BOOT_ORDER}" || setenv BOOT_ORDER "A B"
test -n "${BOOT_A_LEFT}" || setenv BOOT_A_LEFT 3
test -n "${BOOT_B_LEFT}" || setenv BOOT_B_LEFT 3
echo "saint: order ${BOOT_ORDER}, tries left: A ${BOOT_A_LEFT}, B ${BOOT_B_LEFT}"

# A slot that the order does not name was marked bad, or never written whole. It is the last resort, when the
# other one has spent its tries twice, and for one start: then the other one has three again.
setenv slot
setenv last_resort
for candidate in "${BOOT_ORDER}" unnamed A B; do
  if test -n "${slot}"; then
    true
  elif test "${candidate}" = "unnamed"; then
    setenv last_resort yes
  elif test "${candidate}" = "A"; then
    if itest ${BOOT_A_LEFT} > 0; then
      setexpr BOOT_A_LEFT ${BOOT_A_LEFT} - 1
      setenv slot A
      setenv slot_part 2
    fi
  elif test "${candidate}" = "B"; then
    if itest ${BOOT_B_LEFT} > 0; then
      setexpr BOOT_B_LEFT ${BOOT_B_LEFT} - 1
      setenv slot B
      setenv slot_part 3
    fi
  fi
done
if test -n "${last_resort}"; then
  if test "${slot}" = "A"; then
    setenv BOOT_B_LEFT 3
  elif test "${slot}" = "B"; then
    setenv BOOT_A_LEFT 3
  fi
fi

setenv save_env 'env export -c -s 0x4000 ${env_addr} BOOT_ORDER BOOT_A_LEFT BOOT_B_LEFT; ${devtype} write ${env_addr} ${env_copy_2} ${env_sectors}; ${devtype} write ${env_addr} ${env_copy_1} ${env_sectors}'
if test -z "${slot}"; then
  # Never stand at a prompt: a robot has no keyboard.
  echo "saint: no slot has a try left, giving both 3 again"
  setenv BOOT_A_LEFT 3
  setenv BOOT_B_LEFT 3
  run save_env
  reset
fi
run save_env

# A file of this machine's own may add to the kernel's command line, e.g. extraargs=console=ttyAMA0
setenv extraargs
if load ${devtype} ${devnum}:1 ${env_addr} boot.env; then
  env import -t -r ${env_addr} ${filesize} extraargs
fi

echo "saint: booting slot ${slot}"
# No serial console unless boot.env asks for one: a receiver may send on that port.
# The disk identifier is written by the image builder (MBR); RAUC and udev know it too.
setenv bootargs "root=PARTUUID=20240001-0${slot_part} rootfstype=ext4 rootwait ro rauc.slot=${slot} panic=5 oops=panic net.ifnames=0 console=tty1 saint.deadman=300 ${extraargs}"
# The initrd lies this far above the kernel, 128 MiB. U-Boot's own place for it on a Pi leaves 37 MiB,
# and a kernel of Debian's outgrew them. The image builder refuses a kernel that has no room.
setenv kernel_room 0x8000000
setexpr initrd_addr ${kernel_addr_r} + ${kernel_room}
if load ${devtype} ${devnum}:${slot_part} ${kernel_addr_r} /boot/vmlinuz; then
  if load ${devtype} ${devnum}:${slot_part} ${initrd_addr} /boot/initrd.img; then
    # The firmware's own tree: a file would lack the board's revision, serial number and addresses.
    booti ${kernel_addr_r} ${initrd_addr}:${filesize} ${fdt_addr}
  fi
fi
echo "saint: slot ${slot} cannot be loaded"
sleep 1
reset
