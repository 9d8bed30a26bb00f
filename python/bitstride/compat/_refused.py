"""Refusals of the exact algebra, raised as the exception of the package that a drop-in stands for."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from .._errors import Error

Call = TypeVar("Call", bound=Callable[..., Any])


MALFORMED = {"arity", "kind", "overflow", "profile", "range", "unknown-name"}
"""The codes of refusals of an argument that is not what an operation takes: of another kind, or integers that none takes."""


def refusing(kind: type[Error], malformed: type[Error] | None = None) -> Callable[[Call], Call]:
    """The same function, whose refusals are of this kind, those of an argument's form of the second; all that they say is kept."""

    def decorate(call: Call) -> Call:
        @functools.wraps(call)
        def refused(*arguments: Any, **named: Any) -> Any:
            try:
                return call(*arguments, **named)
            except kind:
                raise
            except Error as error:
                raised = kind if malformed is None or error.code not in MALFORMED else malformed
                raise raised(
                    error.message, error.code, error.help, None, None, error.witness, error.chain, error.reason
                ) from None
            except TypeError as error:
                if malformed is None:
                    raise
                raise malformed(str(error), "kind") from None

        return refused  # type: ignore[return-value]

    return decorate


class Refused(Error, AssertionError):
    """A refusal that code which expects the AssertionError of a package catches too."""


class Malformed(Refused, TypeError, AttributeError):
    """A refusal of an argument that is not what an operation takes.

    pycute raises any of these for one, by which of its lines meets it first.
    """


def need(holds: bool, message: str, code: str = "profile") -> None:
    """Refuses where an argument is not of the form that is needed."""
    if not holds:
        raise Malformed(message, code)
