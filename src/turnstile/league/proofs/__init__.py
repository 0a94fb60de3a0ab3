"""What is proved about the machines of the league: the small worlds that `turnstile check` walks."""
