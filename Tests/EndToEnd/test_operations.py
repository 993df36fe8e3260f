"""The files under `config/` that run a server, checked by the tools of those who read them."""

import re
import subprocess

import kubernetes_validate
import pytest
import yaml
from harness.process import REPOSITORY, binary

CONFIG = REPOSITORY / "config"
KUBERNETES = "1.31"
MOST_EXPOSED = 2.0  # of 10, by systemd's own measure


@pytest.fixture
def unit(tmp_path):
    """The unit, with the program where it is now."""
    text = (CONFIG / "systemd/catraca.service").read_text()
    unit = tmp_path / "catraca.service"
    unit.write_text(text.replace("/usr/local/bin/catraca", binary()))
    return unit


def analyze(*arguments):
    checked = subprocess.run(["systemd-analyze", *arguments], capture_output=True, text=True)
    return checked.returncode, checked.stdout + checked.stderr


def test_the_unit_is_valid(unit):
    assert analyze("verify", "--man=no", str(unit)) == (0, "")


def test_the_unit_may_do_little(unit):
    _, text = analyze("security", "--offline=yes", "--no-pager", str(unit))
    assert float(re.search(r"exposure level .*?: ([0-9.]+)", text)[1]) <= MOST_EXPOSED, text


def test_the_unit_waits_longer_than_a_stop_takes():
    text = (CONFIG / "systemd/catraca.service").read_text()
    assert int(re.search(r"^TimeoutStopSec=(\d+)s$", text, re.M)[1]) > 30


def manifests():
    return list(yaml.safe_load_all((CONFIG / "kubernetes/catraca.yaml").read_text()))


@pytest.mark.parametrize("manifest", manifests(), ids=lambda manifest: manifest["kind"])
def test_the_manifests_are_valid(manifest):
    kubernetes_validate.validate(manifest, KUBERNETES, strict=True)


def test_the_manifests_fit_together_and_the_image():
    stateful, service, policy = manifests()
    labels = stateful["spec"]["template"]["metadata"]["labels"]
    assert stateful["spec"]["selector"]["matchLabels"] == labels
    assert service["spec"]["selector"] == labels
    assert policy["spec"]["podSelector"]["matchLabels"] == labels
    assert stateful["spec"]["serviceName"] == service["metadata"]["name"]
    pod = stateful["spec"]["template"]["spec"]
    [container] = pod["containers"]
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    assert {port["targetPort"] for port in service["spec"]["ports"]} == ports.keys()
    dockerfile = (REPOSITORY / "Dockerfile").read_text()
    assert f"EXPOSE {' '.join(str(port) for port in ports.values())}" in dockerfile
    assert f"--uid {pod['securityContext']['runAsUser']} " in dockerfile
    claims = {claim["metadata"]["name"] for claim in stateful["spec"]["volumeClaimTemplates"]}
    volumes = {volume["name"] for volume in pod["volumes"]}
    assert {mount["name"] for mount in container["volumeMounts"]} == claims | volumes


def test_the_compose_file_is_valid(tmp_path):
    checked = subprocess.run(
        ["docker-compose", "-f", str(CONFIG / "compose/compose.yaml"), "config", "--quiet"],
        env={"PATH": "/usr/bin:/bin", "OPENAI_API_KEY": "a", "GROQ_API_KEY": "b"},
        capture_output=True,
        text=True,
    )
    assert checked.returncode == 0, checked.stderr


def test_the_compose_file_names_files_that_there_are():
    compose = yaml.safe_load((CONFIG / "compose/compose.yaml").read_text())
    named = set()
    for service in compose["services"].values():
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            if source.startswith("."):
                assert (CONFIG / "compose" / source).is_file(), source
            else:
                named.add(source)
    assert named == compose["volumes"].keys()
    services = compose["services"].values()
    for port in [port for service in services for port in service.get("ports", [])]:
        assert port.startswith("127.0.0.1:"), port


def test_prometheus_reads_the_configuration_of_the_compose_file(tmp_path):
    for name in ["prometheus/catraca.rules.yml", "compose/prometheus.yml"]:
        (tmp_path / name.split("/")[1]).write_text((CONFIG / name).read_text())
    checked = subprocess.run(
        ["promtool", "check", "config", str(tmp_path / "prometheus.yml")],
        capture_output=True,
        text=True,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
