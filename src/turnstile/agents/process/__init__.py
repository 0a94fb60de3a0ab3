"""What every agent process has: its machines and their logs, its calls, its journal, its files and its figures."""
