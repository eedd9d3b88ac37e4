"""Pins of the IO board (bare ESP32-S3 board with USB). Fixed: USB, and UART0 for Crossfire. All
others are chosen here. Checked by tests/unit/boards/test_pins.

An ESP32-S3 has 25 pins that are free of flash, memory with eight data lines, USB and strapping;
the document's list needs 27 beside the fixed ones. So R_EN and L_EN of a bridge share one pin,
which is how they are used: both high or both low. Enables lie on pins that do not pulse at power-on
(GPIO 1 to 18 do); each needs 4.7 kohm to ground, so that a board without firmware drives nothing.
The chip makes 8 PWM signals, which the bridges use up: horn, light, fan and buzzer are on or off.
"""

CROSSFIRE_TX, CROSSFIRE_RX = 43, 44  # UART0
FIXED = {"CROSSFIRE_TX": CROSSFIRE_TX, "CROSSFIRE_RX": CROSSFIRE_RX}
ELRS_TX, ELRS_RX = 17, 18  # UART2
LINK_TX, LINK_RX = 15, 16  # UART1
# Front left, rear left, front right, rear right: RPWM, LPWM, both enables.
BRIDGES = ((4, 5, 21), (6, 7, 38), (8, 9, 47), (10, 11, 48))
I2C_SDA, I2C_SCL = 1, 2
STRIP = 14
HORN, LIGHT, FAN, BUZZER = 12, 13, 39, 40
CHOSEN = {
    "ELRS_TX": ELRS_TX,
    "ELRS_RX": ELRS_RX,
    "LINK_TX": LINK_TX,
    "LINK_RX": LINK_RX,
    "I2C_SDA": I2C_SDA,
    "I2C_SCL": I2C_SCL,
    "STRIP": STRIP,
    "HORN": HORN,
    "LIGHT": LIGHT,
    "FAN": FAN,
    "BUZZER": BUZZER,
}
