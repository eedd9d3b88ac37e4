"""`saintctl wagon`: state, arming and gains of the CAN wagon."""
