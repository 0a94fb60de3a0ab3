"""Whoever hangs up in the middle harms nobody: not a peer of an agent, nor the reader of its log."""

import os
import signal
import socket
import struct
import subprocess
import sys
from pathlib import Path

import msgspec

RESET = struct.pack("ii", 1, 0)  # linger no time: closing says RST
REQUEST = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
ASK = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"


def test_N1_a_peer_that_hangs_up_while_it_is_answered_ends_nothing(tmp_path: Path) -> None:
    manager = subprocess.Popen(
        [sys.executable, "-m", "turnstile", "league", "manager", "--port", "0", "--data", str(tmp_path), "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert manager.stdout is not None
    assert manager.stderr is not None
    try:
        port = msgspec.json.decode(manager.stdout.readline())["port"]
        manager.stderr.close()  # nobody reads its log any more
        for _ in range(500):
            with socket.create_connection(("127.0.0.1", port)) as peer:
                peer.sendall(REQUEST * 5)
                peer.shutdown(socket.SHUT_WR)
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        with socket.create_connection(("127.0.0.1", port)) as peer:
            peer.sendall(ASK)
            assert peer.recv(100).startswith(b"HTTP/1.1 200")
        assert manager.poll() is None
    finally:
        os.kill(manager.pid, signal.SIGTERM)
        assert manager.wait() == 0
        manager.stdout.close()
