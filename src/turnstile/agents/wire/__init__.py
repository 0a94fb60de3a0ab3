"""HTTP between agents: strict in what is sent, lenient in what is accepted.

In: `door` (HTTP), `exchange` (one request), `rpc` (frames), `incoming` (the message), `lenient` and `repairs` (foreign
spellings), `mcp`. Out: `caller` (HTTP), `dialect` (forms of a call), `replies` (what an answer means).
Both: `envelope`, `methods`, `remarks`.
"""
