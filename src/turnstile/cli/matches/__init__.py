"""`turnstile matches`: looks after stored tables."""
