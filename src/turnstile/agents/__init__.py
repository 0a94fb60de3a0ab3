"""The agents of the league as processes: what they say over HTTP, what they keep on disk, and how they are run."""
