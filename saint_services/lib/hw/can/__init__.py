"""CAN buses: frames, the port, and its back ends for SocketCAN and serial adapters."""
