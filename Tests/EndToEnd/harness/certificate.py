"""A certificate for this machine, made for a test."""

import subprocess


def make_certificate(folder, name="tls"):
    """Writes `NAME.crt`, which vouches for itself, and `NAME.key`."""
    command = "openssl req -x509 -nodes -days 2 -newkey ec -pkeyopt ec_paramgen_curve:P-256"
    command += " -subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1"
    paths = ["-keyout", str(folder / f"{name}.key"), "-out", str(folder / f"{name}.crt")]
    subprocess.run([*command.split(), *paths], check=True, capture_output=True)
