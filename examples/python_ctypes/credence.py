"""Calibrated probabilities in plain Python, through the C interface of Credence.

    from credence import Calibrator
    calibrator = Calibrator("calibrator.json")
    rows = calibrator.apply([[2.5, 0.1, -1.0], [0.3, 0.2, 0.1]], kind="logits")

Nothing but the standard library is needed. For large NumPy arrays pass their buffers to
credence_apply_f32 directly: array.ctypes.data_as(ctypes.POINTER(ctypes.c_float)).
"""
import ctypes
import os
import sys

KINDS = {"logits": 1, "log_probs": 2, "probs": 3}

_library = ctypes.CDLL(os.environ.get("CREDENCE_LIBRARY", "libcredence_c.so.0"))
_doubles = ctypes.POINTER(ctypes.c_double)


def _declare(name, result, *arguments):
    function = getattr(_library, name)
    function.restype = result
    function.argtypes = arguments
    return function


_handle = ctypes.c_void_p
_load = _declare("credence_load_file", ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(_handle))
_free = _declare("credence_free", None, _handle)
_apply = _declare("credence_apply_f64", ctypes.c_int, _handle, ctypes.c_int, ctypes.c_size_t,
                  ctypes.c_size_t, _doubles, ctypes.c_void_p, _doubles, ctypes.c_void_p)
_last_error = _declare("credence_last_error", ctypes.c_char_p)
_last_hint = _declare("credence_last_hint", ctypes.c_char_p)
_class_count = _declare("credence_class_count", ctypes.c_size_t, _handle)
_class_name = _declare("credence_class_name", ctypes.c_char_p, _handle, ctypes.c_size_t)
_method = _declare("credence_method", ctypes.c_char_p, _handle)


class CredenceError(Exception):
    """What went wrong and, as a second line, the way out."""


def _check(status):
    if status != 0:
        message, hint = _last_error().decode(), _last_hint().decode()
        raise CredenceError(message + ("\n" + hint if hint else ""))


class Calibrator:
    def __init__(self, path):
        self._handle = _handle()
        _check(_load(os.fsencode(path), ctypes.byref(self._handle)))

    def __del__(self):
        _free(self._handle)

    @property
    def method(self):
        return _method(self._handle).decode()

    @property
    def classes(self):
        """Names in the order of the columns; numbers when the file has no names."""
        count = _class_count(self._handle)
        names = [_class_name(self._handle, k) for k in range(count)]
        return [str(k) if name is None else name.decode() for k, name in enumerate(names)]

    def apply(self, rows, kind):
        rows = [list(row) for row in rows]
        classes = len(rows[0]) if rows else len(self.classes)
        if any(len(row) != classes for row in rows):
            raise CredenceError("rows differ in length")
        values = (ctypes.c_double * (len(rows) * classes))(*(x for row in rows for x in row))
        _check(_apply(self._handle, KINDS[kind], len(rows), classes, values, None, values, None))
        return [list(values[i * classes:(i + 1) * classes]) for i in range(len(rows))]


def main(arguments):
    if len(arguments) < 3:
        print("usage: credence.py CALIBRATOR.json LOGIT...", file=sys.stderr)
        return 2
    try:
        calibrator = Calibrator(arguments[1])
        row = calibrator.apply([[float(text) for text in arguments[2:]]], kind="logits")[0]
    except CredenceError as error:
        print(error, file=sys.stderr)
        return 1
    print("method", calibrator.method)
    for name, probability in zip(calibrator.classes, row):
        print(f"{name} {probability:.6f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
