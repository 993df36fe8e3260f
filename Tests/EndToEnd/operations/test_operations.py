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


def test_the_unit_bounds_memory_and_tasks_and_keeps_keys_out_of_the_environment():
    text = (CONFIG / "systemd/catraca.service").read_text()
    for setting in ["MemoryMax", "MemoryHigh", "TasksMax"]:
        assert re.search(rf"^{setting}=\d+[MG]?$", text, re.M), setting
    names = re.findall(r"^LoadCredential=(\w+):/etc/catraca/credentials/\1$", text, re.M)
    assert names == ["openai", "groq"]
    assert not re.search(r"^Environment.*API_KEY", text, re.M)


def test_a_provider_takes_its_key_from_a_credential_of_the_unit(catraca, tmp_path):
    """The folder is that of LoadCredential, which only root could make here."""
    credential = tmp_path / "openai"
    credential.write_text(catraca.environment.pop("TEST_OPENAI_KEY"))
    credential.chmod(0o400)
    provider = catraca.configuration.settings["providers"]["openai"]
    del provider["api_key_env"]
    provider["api_key_file"] = str(credential)
    body = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "Hello"}]}
    assert catraca.start().post(body).status == 200


def manifests():
    return list(yaml.safe_load_all((CONFIG / "kubernetes/catraca.yaml").read_text()))


@pytest.mark.parametrize("manifest", manifests(), ids=lambda manifest: manifest["kind"])
def test_the_manifests_are_valid(manifest):
    kubernetes_validate.validate(manifest, KUBERNETES, strict=True)


def test_the_manifests_fit_together_and_the_image():
    stateful, service, admin, policy = manifests()
    labels = stateful["spec"]["template"]["metadata"]["labels"]
    assert stateful["spec"]["selector"]["matchLabels"] == labels
    assert service["spec"]["selector"] == admin["spec"]["selector"] == labels
    assert policy["spec"]["podSelector"]["matchLabels"] == labels
    assert stateful["spec"]["serviceName"] == service["metadata"]["name"]
    pod = stateful["spec"]["template"]["spec"]
    [container] = pod["containers"]
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    assert [port["targetPort"] for port in service["spec"]["ports"]] == ["proxy"]
    assert [port["targetPort"] for port in admin["spec"]["ports"]] == ["admin"]
    dockerfile = (REPOSITORY / "Dockerfile").read_text()
    assert f"EXPOSE {' '.join(str(port) for port in ports.values())}" in dockerfile
    assert f"--uid {pod['securityContext']['runAsUser']} " in dockerfile
    claims = {claim["metadata"]["name"] for claim in stateful["spec"]["volumeClaimTemplates"]}
    volumes = {volume["name"] for volume in pod["volumes"]}
    assert {mount["name"] for mount in container["volumeMounts"]} == claims | volumes


def test_the_network_policy_lets_in_and_out_what_is_named():
    policy = manifests()[-1]["spec"]
    assert policy["policyTypes"] == ["Ingress", "Egress"]
    for rule in policy["ingress"]:
        assert rule["from"], rule
        for peer in rule["from"]:
            assert peer["namespaceSelector"]["matchLabels"], rule
    [admin] = [rule for rule in policy["ingress"] if rule["ports"] == [{"port": "admin"}]]
    assert all(peer["podSelector"]["matchLabels"] for peer in admin["from"])
    assert sorted({port["port"] for rule in policy["egress"] for port in rule["ports"]}) == [
        53,
        443,
        5432,
    ]
    assert all(rule["to"] for rule in policy["egress"])
    peers = [peer for rule in policy["egress"] for peer in rule["to"]]
    [four, _] = [peer["ipBlock"] for peer in peers if "ipBlock" in peer]
    assert "169.254.0.0/16" in four["except"]


def test_images_of_others_are_pinned_by_digest():
    pinned = re.compile(r"^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}$")
    compose = yaml.safe_load((CONFIG / "compose/compose.yaml").read_text())
    images = [one["image"] for one in compose["services"].values() if "build" not in one]
    dockerfile = (REPOSITORY / "Dockerfile").read_text()
    arguments = dict(re.findall(r"^ARG (\w+_IMAGE)=(\S+)$", dockerfile, re.M))
    assert re.findall(r"^FROM (\S+)", dockerfile, re.M) == ["${SWIFT_IMAGE}", "${DEBIAN_IMAGE}"]
    for image in [*images, arguments["SWIFT_IMAGE"], arguments["DEBIAN_IMAGE"]]:
        assert pinned.match(image), image


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
