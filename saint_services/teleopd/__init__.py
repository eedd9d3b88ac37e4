"""Remote operation: picture, commands and state over WebRTC."""
