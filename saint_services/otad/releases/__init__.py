"""The releases on this server: bundles are checked, stored and removed here."""
