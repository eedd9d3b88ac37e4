"""Pins of the BALANCE board (Waveshare ESP32-S3 Touch LCD 1.28). Those of the printed circuit are
fixed by it; the others are on its connector and chosen here. Checked by
tests/unit/boards/test_pins.py.

Chosen: the serial line and the CAN lines lie on GPIO 15 to 18 and 21, which nothing on the board
uses. GPIO 33 is on the connector too, but belongs to the memory where that has eight data lines.
"""

LCD_SCLK, LCD_MOSI, LCD_CS, LCD_DC, LCD_BACKLIGHT = 10, 11, 9, 8, 2
TOUCH_INT, TOUCH_RESET = 5, 4
I2C_SDA, I2C_SCL = 6, 7  # touch and attitude sensor
IMU_INT = 3
CONSOLE_TX, CONSOLE_RX = 43, 44  # UART0, to the CH343 bridge
FIXED = {
    "LCD_SCLK": LCD_SCLK,
    "LCD_MOSI": LCD_MOSI,
    "LCD_CS": LCD_CS,
    "LCD_DC": LCD_DC,
    "LCD_BACKLIGHT": LCD_BACKLIGHT,
    "TOUCH_INT": TOUCH_INT,
    "TOUCH_RESET": TOUCH_RESET,
    "I2C_SDA": I2C_SDA,
    "I2C_SCL": I2C_SCL,
    "IMU_INT": IMU_INT,
    "CONSOLE_TX": CONSOLE_TX,
    "CONSOLE_RX": CONSOLE_RX,
}
LINK_TX, LINK_RX = 17, 18
# A firmware with TWAI: two lines to the SN65HVD230.
TWAI_TX, TWAI_RX = 15, 16
WITH_TWAI = {"LINK_TX": LINK_TX, "LINK_RX": LINK_RX, "TWAI_TX": TWAI_TX, "TWAI_RX": TWAI_RX}
# Stock MicroPython: an MCP2515 (3.3 V, or behind level shifters) needs four. The fourth is GPIO 33,
# only where the module's memory has four data lines (ESP32-S3R2); look at its marking.
SPI_SCK, SPI_MOSI, SPI_MISO, SPI_CS = 15, 16, 21, 33
WITH_MCP2515 = {
    "LINK_TX": LINK_TX,
    "LINK_RX": LINK_RX,
    "SPI_SCK": SPI_SCK,
    "SPI_MOSI": SPI_MOSI,
    "SPI_MISO": SPI_MISO,
    "SPI_CS": SPI_CS,
}
