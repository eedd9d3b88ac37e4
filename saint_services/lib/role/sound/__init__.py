"""The microphone and the loudspeaker of a role's node, in a process of their own."""
