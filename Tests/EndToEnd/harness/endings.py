"""The ways in which a client can end a connection."""

import socket
import struct

RESET = struct.pack("ii", 1, 0)


def close(connection):
    """Closes both directions: a FIN, and a reset for each byte that the server still sends."""
    connection.close()


def half_close(connection):
    """Ends the client's direction, and reads what the server answers."""
    connection.shutdown(socket.SHUT_WR)
    read_to_end(connection)
    connection.close()


def reset(connection):
    """Breaks both directions at once: a RST without a FIN."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    connection.close()


def read_to_end(connection):
    """Reads until the server ends its direction or breaks the connection."""
    try:
        while connection.recv(65536):
            pass
    except ConnectionResetError:
        pass


ENDINGS = {"close": close, "half-close": half_close, "reset": reset}
