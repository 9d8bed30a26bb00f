"""The exceptions of the package: every refusal is a ValueError with its reason as data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

__all__ = ["Error", "ModeError", "RefusedError", "UndecidedError", "Witness"]


class Witness(NamedTuple):
    """Coordinates that show why a law refuses."""

    at: tuple[int, ...]
    """Flat indices into the domain of the operation."""
    gives: tuple[str, ...]
    """What the true function gives at each."""
    needs: str
    """What the law would need instead."""


class Error(ValueError):
    """A question without an answer, and why.

    `message` is the sentence with its numbers, `code` its stable name, `help` the repair where there is one, `span` the
    characters of `text` that it is about, `witness` the coordinates that show it, `chain` an expression that does hold the
    answer, and `reason` the `kind` of refusal with the facts of the message by their names: each number, layout, point and digit.
    """

    message: str
    code: str
    help: str | None
    span: tuple[int, int] | None
    text: str | None
    witness: Witness | None
    chain: str | None

    def __init__(
        self,
        message: str,
        code: str = "",
        help: str | None = None,
        span: tuple[int, int] | None = None,
        text: str | None = None,
        witness: tuple[Sequence[int], Sequence[str], str] | None = None,
        chain: str | None = None,
        reason: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.help = help
        self.span = span
        self.text = text
        self.witness = None if witness is None else Witness(tuple(witness[0]), tuple(witness[1]), witness[2])
        self.chain = chain
        self.reason = reason

    def __str__(self) -> str:
        lines = [f"{self.code}: {self.message}" if self.code else self.message]
        if self.text is not None and self.span is not None and "\n" not in self.text and len(self.text) <= 120:
            start, end = self.span
            lines += [f"  {self.text}", "  " + " " * start + "^" * max(1, end - start)]
        if self.help:
            lines.append(f"  help: {self.help}")
        return "\n".join(lines)


class RefusedError(Error):
    """A law refuses the question: the answer is no layout, or is not of the wanted kind."""


class UndecidedError(Error):
    """A fact about an integer is missing, or the question was too long to decide."""


class ModeError(Error, IndexError):
    """A mode that the layout does not have."""
