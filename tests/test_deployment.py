"""What docs/deployment.md, compose.yaml and the systemd units say agrees, and a backup restores."""

import configparser
import re
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

import tvlb

_ROOT = Path(__file__).parents[1]
_GUIDE = (_ROOT / "docs/deployment.md").read_text()
_SERVICES: dict[str, dict[str, Any]] = yaml.safe_load((_ROOT / "compose.yaml").read_text())[
    "services"
]
_UNITS = sorted((_ROOT / "docs/deployment").glob("*.service"))


def test_the_image_is_named_by_the_version_everywhere() -> None:
    image = f"tvlb:{tvlb.__version__}"
    assert {one["image"] for one in _SERVICES.values() if "build" in one} == {image}
    assert set(re.findall(r"\btvlb:\d[\w.]*\b", _GUIDE)) == {image}
    assert re.findall(r"docker build -t (\S+)", _GUIDE) == [image]


@pytest.mark.parametrize("name", _SERVICES)
def test_containers_rotate_logs_and_limit_memory(name: str) -> None:
    service = _SERVICES[name]
    assert service["logging"]["driver"] == "json-file"
    assert set(service["logging"]["options"]) == {"max-size", "max-file"}
    assert re.fullmatch(r"\d+g|\$\{WORKER_MEMORY:-\d+g\}", service["mem_limit"])


@pytest.mark.parametrize("path", _UNITS, ids=lambda path: path.stem)
def test_units_limit_memory_and_logs(path: Path) -> None:
    unit = configparser.ConfigParser()
    unit.read(path)
    assert re.fullmatch(r"\d+G", unit["Service"]["MemoryMax"])
    journal = configparser.ConfigParser()
    assert journal.read(path.with_name(f"journald@{unit['Service']['LogNamespace']}.conf"))
    assert journal["Journal"]["SystemMaxUse"] == "200M"


def test_backup_of_sqlite_leaves_the_data_directory_and_restores(tmp_path: Path) -> None:
    data, backup = tmp_path / "data", tmp_path / "backup"
    (data / "blobs/incoming").mkdir(parents=True)
    (data / "blobs/ab").mkdir()
    (data / "blobs/ab/abcd").write_bytes(b"a result")
    (data / "blobs/incoming/half").write_bytes(b"a res")
    backup.mkdir()
    with sqlite3.connect(data / "jobs.sqlite3") as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("CREATE TABLE jobs AS SELECT 'one' AS id")
    save, restore = [
        block.replace("/var/lib/tvlb", str(data)).replace("/srv/backup", str(backup))
        for block in re.findall(r"(?:^    .*\n)+", _GUIDE, re.MULTILINE)
        if "/var/lib/tvlb" in block and "/srv/backup" in block
    ]

    _run(save)
    database.execute("INSERT INTO jobs VALUES ('two')")
    database.commit()
    database.close()
    (data / "blobs/ab/abcd").unlink()
    _run("".join(line for line in restore.splitlines(True) if "systemctl" not in line))

    assert sorted(path.name for path in backup.iterdir()) == ["jobs.sqlite3", "results.tar.gz"]
    restored = sqlite3.connect(data / "jobs.sqlite3")
    assert restored.execute("SELECT id FROM jobs").fetchall() == [("one",)]
    restored.close()
    assert (data / "blobs/ab/abcd").read_bytes() == b"a result"


def _run(commands: str) -> None:
    lines = re.sub(r"^    ", "", commands, flags=re.MULTILINE)
    subprocess.run(["sh", "-e", "-c", lines], check=True)
