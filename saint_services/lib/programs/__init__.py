"""Programs of the owner's on the server: their description, their archive and where they lie. Not
here: which users add and start them (webd), how they run (systemd/saint-program@.service).
"""
