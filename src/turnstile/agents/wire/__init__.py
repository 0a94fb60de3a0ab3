"""What agents say to each other over HTTP: strict in what they send, lenient in what they accept."""
