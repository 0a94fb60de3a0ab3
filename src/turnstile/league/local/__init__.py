"""A whole league within one process, in virtual time, with a network of values between its agents."""
