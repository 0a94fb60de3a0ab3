"""What is known of the games beyond their rules: which states are sound, what a hidden state may be, what to count."""
