"""The player as a process: its machine, its strategy and its history."""
