"""What every HTTP edge shares: a server in this process, limits, and which addresses may be called."""
