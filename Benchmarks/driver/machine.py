"""Describes the machine on which the measurements run."""

import os
import platform
import subprocess
import time


def describe():
    return {"date": time.strftime("%Y-%m-%d"), "cores": os.cpu_count(), "processor": processor(), "kernel": platform.release(),
            "load": load(), "swift": swift(), "commit": commit()}


def load():
    """The load average of the last minute."""
    return os.getloadavg()[0]


def processor():
    with open("/proc/cpuinfo") as file:
        names = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    return names[0] if names else platform.machine()


def swift():
    text = subprocess.run(["swift", "--version"], capture_output=True, text=True).stdout
    return text.partition("Swift version ")[2].split(" ")[0]


def commit():
    return subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip() or "unknown"
