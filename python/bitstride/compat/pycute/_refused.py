"""The exception of the drop-in."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from ..._errors import Error

Call = TypeVar("Call", bound=Callable[..., Any])


class Refused(Error, AssertionError):
    """A refusal that code which expects pycute's AssertionError catches too."""


def refusing(call: Call) -> Call:
    """The same function, whose refusals are AssertionErrors."""

    @functools.wraps(call)
    def refused(*arguments: Any, **named: Any) -> Any:
        try:
            return call(*arguments, **named)
        except Refused:
            raise
        except Error as error:
            raise Refused(error.message, error.code, error.help, None, None, error.witness, error.chain) from None

    return refused  # type: ignore[return-value]


def need(holds: bool, message: str) -> None:
    """Refuses where an argument is not of the form that is needed."""
    if not holds:
        raise Refused(message, "profile")
