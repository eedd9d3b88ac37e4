"""Sound: the microphone and the loudspeaker of this computer, by ALSA."""
