"""Certificates for this machine, made for a test."""

import subprocess


def make_certificate(folder, name="tls"):
    """Writes `NAME.crt`, which vouches for itself, and `NAME.key`."""
    command = "openssl req -x509 -nodes -days 2 -newkey ec -pkeyopt ec_paramgen_curve:P-256"
    command += " -subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1"
    paths = ["-keyout", str(folder / f"{name}.key"), "-out", str(folder / f"{name}.crt")]
    subprocess.run([*command.split(), *paths], check=True, capture_output=True)


def make_signed_certificate(folder, name="tls"):
    """Writes `NAME.crt`, `NAME.key` and `authority.crt`, which vouches for the first as a public
    authority would: with an address that says what it has revoked."""
    key = "-nodes -newkey ec -pkeyopt ec_paramgen_curve:P-256"
    extensions = folder / "extensions"
    extensions.write_text(
        "subjectAltName=DNS:localhost,IP:127.0.0.1\nkeyUsage=digitalSignature\n"
        "extendedKeyUsage=serverAuth\ncrlDistributionPoints=URI:http://127.0.0.1/revoked.crl\n"
    )
    for command in [
        f"req -x509 -days 9 {key} -subj /CN=Authority -keyout authority.key -out authority.crt",
        f"req {key} -subj /CN=localhost -keyout {name}.key -out {name}.csr",
        f"x509 -req -days 90 -in {name}.csr -CA authority.crt -CAkey authority.key"
        f" -CAcreateserial -extfile extensions -out {name}.crt",
    ]:
        subprocess.run(["openssl", *command.split()], cwd=folder, check=True, capture_output=True)
