"""What the comparisons with other packages share: an environment of its own for the peer, and calls of either side."""

import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
QUASAR = str(HERE.parent.parent / "quasar")


def stop(message):
    print(f"{pathlib.Path(sys.argv[0]).stem}: {message}", file=sys.stderr)
    sys.exit(3)


IMPORTED_AS = {"scikit-learn": "sklearn"}  # where PyPI has another name


def find_python(environment, *packages):
    """Python of out/ENVIRONMENT, where the packages are installed from PyPI at first use; none when they cannot be had."""
    folder = HERE / "out" / environment
    python = folder / "bin" / "python"
    if not python.exists():
        print(f"installing {', '.join(packages)} from PyPI ...", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=False)
    modules = [IMPORTED_AS.get(package, package) for package in packages]
    found = subprocess.run([python, "-c", f"import {', '.join(modules)}"], capture_output=True)
    return python if found.returncode == 0 else None


def python_with(environment, *packages):
    python = find_python(environment, *packages)
    if python is None:
        stop(f"{', '.join(packages)} cannot be installed or imported here; nothing was compared")
    return python


def output_of(command):
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if result.returncode != 0:
        stop(result.stderr)
    return result.stdout


def peer_side(python, script, *arguments):
    """What the script prints as JSON on its last line."""
    return json.loads(output_of([python, "-c", script, *arguments]).splitlines()[-1])


def quasar_side(quasar, *arguments, launcher=()):
    """The summary of `quasar sample` with these arguments."""
    return json.loads(output_of([*launcher, quasar, "sample", *arguments, "--json"]))


def ranks(count):
    """What starts a program on so many ranks of this machine, however many cores it has."""
    root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    return ["mpirun", *root, "--oversubscribe", "-n", count]
