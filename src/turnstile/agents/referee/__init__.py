"""The referee as a process: its registration, its matches, and what players post to it."""
