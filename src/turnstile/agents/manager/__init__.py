"""The league manager as a process."""
