"""Where releases come from: the owner's address. (A USB stick: usb_import.py; users: uploads.)"""
