"""Libraries that a server is started with, in place of a part of the system's."""

import os
import subprocess
from pathlib import Path


def preload(catraca, name, folder, **environment):
    """Compiles NAME.c of this folder, and has it loaded before all others at each start."""
    library = folder / f"{name}.so"
    source = Path(__file__).with_name(f"{name}.c")
    options = ["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror"]
    subprocess.run([os.environ.get("CC", "cc"), *options, "-o", library, source], check=True)
    paths = {variable: str(value) for variable, value in environment.items()}
    catraca.environment |= {"LD_PRELOAD": str(library), **paths}
