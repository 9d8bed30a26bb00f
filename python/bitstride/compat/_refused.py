"""Refusals of the exact algebra, raised as the exception of the package that a drop-in stands for."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from .._errors import Error

Call = TypeVar("Call", bound=Callable[..., Any])


def refusing(kind: type[Error]) -> Callable[[Call], Call]:
    """The same function, whose refusals are of this kind; all that they say is kept."""

    def decorate(call: Call) -> Call:
        @functools.wraps(call)
        def refused(*arguments: Any, **named: Any) -> Any:
            try:
                return call(*arguments, **named)
            except kind:
                raise
            except Error as error:
                raise kind(
                    error.message, error.code, error.help, None, None, error.witness, error.chain, error.reason
                ) from None

        return refused  # type: ignore[return-value]

    return decorate


class Refused(Error, AssertionError):
    """A refusal that code which expects the AssertionError of a package catches too."""


def need(holds: bool, message: str) -> None:
    """Refuses where an argument is not of the form that is needed."""
    if not holds:
        raise Refused(message, "profile")
