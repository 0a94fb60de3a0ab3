"""What remains of matches that are over: their results, ratings and leader boards."""
