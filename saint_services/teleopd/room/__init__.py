"""Carries remote operation over a LiveKit room; an optional extra (package `livekit`)."""
