"""What ran, on what: numbers without this mean nothing."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

# The name of a module, and of the package that pip installs for it.
PIP = {"sklearn": "scikit-learn"}


def package_of(module: str) -> str:
    return PIP.get(module, module)


def versions(modules: list[str]) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for module in modules:
        try:
            found[package_of(module)] = version(package_of(module))
        except PackageNotFoundError:
            found[package_of(module)] = None
    return found


def describe() -> dict[str, str]:
    cpu = next(
        (
            line.split(":", 1)[1].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ),
        platform.processor(),
    )
    system = platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    load = os.getloadavg()[0]
    return {
        "processor": f"{cpu}, {os.cpu_count()} of them visible",
        "system": f"{system}, {platform.libc_ver()[0]} {platform.libc_ver()[1]}",
        "python": platform.python_version(),
        "load at the start": f"{load:.1f}",
    }
