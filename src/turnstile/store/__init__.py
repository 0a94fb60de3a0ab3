"""Where tables rest between two events. See `protocol` for what every store does, `log` for what is kept."""
