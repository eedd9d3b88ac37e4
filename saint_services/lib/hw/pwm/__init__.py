"""PWM outputs and servos, by the kernel, pigpiod or a PCA9685."""
