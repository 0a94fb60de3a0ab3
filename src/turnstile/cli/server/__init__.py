"""The command `turnstile serve`: its settings, and the server as a process."""
