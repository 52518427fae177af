"""The version of this program."""

__all__ = ["VERSION"]

VERSION = "0.1.0"
