"""A whole league on one machine: its processes started, watched, restarted and stopped together."""
