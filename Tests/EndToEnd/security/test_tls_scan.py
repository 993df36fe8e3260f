"""The findings of TLS scanners at the listeners: `sslscan`, which offers everything there is, and
`testssl.sh`, which tries the known attacks, too."""

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from xml.etree import ElementTree

import pytest
from harness.certificate import make_certificate, make_signed_certificate

FORWARD_SECRET = ("ECDHE-", "TLS_AES_", "TLS_CHACHA20_")
AUTHENTICATED = ("GCM", "POLY1305")


@pytest.fixture(params=["proxy", "admin"])
def report(request, catraca):
    make_certificate(catraca.configuration.folder)
    tls = {"certificate": "tls.crt", "key": "tls.key"}
    catraca.configuration.settings[request.param]["tls"] = tls
    host, port = catraca.start().process.address(request.param)
    command = ["sslscan", "--no-colour", "--xml=-", f"{host}:{port}"]
    done = subprocess.run(command, capture_output=True, check=True, timeout=120)
    return ElementTree.fromstring(done.stdout).find("ssltest")


def test_a_scanner_finds_nothing_weak(report):
    enabled = {
        f"{protocol.get('type')} {protocol.get('version')}"
        for protocol in report.findall("protocol")
        if protocol.get("enabled") == "1"
    }
    assert enabled == {"tls 1.2", "tls 1.3"}
    assert report.find("renegotiation").get("supported") == "0"
    assert report.find("compression") is None or report.find("compression").get("supported") == "0"
    assert {each.get("vulnerable") for each in report.findall("heartbleed")} == {"0"}
    ciphers = report.findall("cipher")
    assert len(ciphers) >= 4
    for cipher in ciphers:
        assert cipher.get("strength") in ("strong", "acceptable")
        assert cipher.get("cipher").startswith(FORWARD_SECRET)
        assert any(mode in cipher.get("cipher") for mode in AUTHENTICATED)
    print(f"{len(ciphers)} ciphers, none weak")


LISTENERS = ["proxy", "admin"]
BAD = {"MEDIUM", "HIGH", "CRITICAL", "FATAL"}
# Protocols, ciphers, forward secrecy, preferences, certificate and attacks; without its
# simulation of clients and its second list of all ciphers, which take as long as all of these.
CHECKS = ["-p", "-s", "-f", "-P", "-S", "-U"]
TESTSSL_SECONDS = 600


def findings(catraca, listener):
    """All that testssl.sh says of a listener; it asks nobody else."""
    folder = catraca.configuration.folder
    host, port = catraca.process.address(listener)
    report = folder / f"{listener}.json"
    command = ["testssl", "--quiet", "--warnings", "off", "--color", "0"]
    command += ["--nodns", "none", "--ip", host, "--add-ca", str(folder / "authority.crt")]
    command += ["--jsonfile", str(report), *CHECKS, f"localhost:{port}"]
    done = subprocess.run(command, capture_output=True, timeout=TESTSSL_SECONDS, cwd=folder)
    assert report.exists(), done.stdout.decode(errors="replace")[-2000:]
    return json.loads(report.read_text())


def test_the_known_attacks_find_nothing(catraca, capsys):
    make_signed_certificate(catraca.configuration.folder)
    for listener in LISTENERS:
        tls = {"certificate": "tls.crt", "key": "tls.key"}
        catraca.configuration.settings[listener]["tls"] = tls
    catraca.start()
    with ThreadPoolExecutor() as pool:
        reports = list(pool.map(lambda listener: findings(catraca, listener), LISTENERS))
    for listener, report in zip(LISTENERS, reports, strict=True):
        with capsys.disabled():
            print(f"\ntestssl.sh, {listener}: {len(report)} findings")
        assert {"TLS1_2", "TLS1_3", "PFS", "heartbleed", "ROBOT", "LUCKY13"} <= {
            finding["id"] for finding in report
        }
        assert [finding for finding in report if finding["severity"] in BAD] == []
