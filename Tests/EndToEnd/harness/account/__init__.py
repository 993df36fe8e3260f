"""A stand-in for a provider's account, which all clients of a server share."""

from .server import Account

__all__ = ["Account"]
