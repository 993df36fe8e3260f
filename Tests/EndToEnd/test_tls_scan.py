"""What a scanner of TLS finds at the listeners: `sslscan`, which offers everything there is."""

import subprocess
from xml.etree import ElementTree

import pytest
from harness.certificate import make_certificate

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
