"""The one exception of the package."""

from __future__ import annotations


class CredenceError(ValueError):
    """What is wrong, where, and the way out.

    ``code`` is one of "usage", "io", "format", "data", "evidence", "model", "cancelled";
    ``message`` says what is wrong and where; ``hint`` says the way out (may be empty).

    >>> import credence
    >>> try:
    ...     credence.fit("sltz", [[0.0, 1.0]], [[1, 2]], input="logits")
    ... except credence.CredenceError as error:
    ...     print(error.code, "-", error.message)
    usage - unknown method 'sltz'; did you mean 'slts'?
    """

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(code, message, hint)
        self.code = code
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n  hint: {self.hint}" if self.hint else self.message
