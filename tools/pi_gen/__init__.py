"""What the pi-gen stage (image/pi-gen) asks Python to do."""
