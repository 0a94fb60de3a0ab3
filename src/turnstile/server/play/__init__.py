"""Play over the WebSocket: `frames` says what is sent, `closing` why a connection ends, `session` is one connection,
`socket` is its bytes, and `sessions` are all of them."""
