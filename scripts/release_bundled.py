"""What of other people's the wheel has in it: a bill of materials, and the licences.

JupyterLab's builder lists the packages of the labextension beside it, with the texts of their
licenses, and `frame.mjs` does so for the scripts of outputs. The helper for kernels is the
standard library's alone.
"""

from __future__ import annotations

import hashlib
import json
import uuid
import zipfile
from typing import TYPE_CHECKING, TypedDict

from cyclonedx.factory.license import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

LISTED = "third-party-licenses.json"


class Bundled(TypedDict):
    """A package in the bundle, as JupyterLab's builder writes it."""

    name: str
    versionInfo: str
    licenseId: str
    extractedText: str


def bundled(wheel: Path) -> list[Bundled]:
    """Return the packages of other people in the wheel, each with the text of its license."""
    packages: list[Bundled] = []
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.endswith(LISTED):
                packages += json.loads(archive.read(name))["packages"]
    for package in packages:
        if not package["licenseId"] or not package["extractedText"].strip():
            raise SystemExit(f"release: {package['name']} is in the wheel without a license")
    return sorted(packages, key=lambda package: package["name"])


def write_licences(packages: list[Bundled], target: Path) -> None:
    """The licences of the packages as one text, for people."""
    parts = [
        f"{package['name']} {package['versionInfo']} ({package['licenseId']})\n\n"
        f"{package['extractedText'].strip()}\n"
        for package in packages
    ]
    target.write_text(f"\n{'-' * 80}\n\n".join(parts), encoding="utf-8")


def write_bill(
    packages: list[Bundled], wheel: Path, version: str, date: datetime, target: Path
) -> None:
    """A CycloneDX bill of materials of the wheel; the same wheel has the same bill."""
    licence = LicenseFactory().make_from_string
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    name = PackageURL("pypi", None, "gpu-headroom", version)
    root = Component(
        type=ComponentType.LIBRARY,
        name=name.name,
        version=version,
        purl=name,
        bom_ref=str(name),
        licenses=[licence("BSD-3-Clause")],
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=digest)],
    )
    bill = Bom(serial_number=uuid.uuid5(uuid.NAMESPACE_URL, f"{name}#{digest}"))
    bill.metadata.timestamp = date
    bill.metadata.component = root
    for package in packages:
        scope, _, short = package["name"].rpartition("/")
        url = PackageURL("npm", scope or None, short, package["versionInfo"])
        part = Component(
            type=ComponentType.LIBRARY,
            group=scope or None,
            name=short,
            version=package["versionInfo"],
            purl=url,
            bom_ref=str(url),
            licenses=[licence(package["licenseId"])],
        )
        bill.components.add(part)
        bill.register_dependency(root, [part])
    text = JsonV1Dot6(bill).output_as_string(indent=2)
    error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    if error:
        raise SystemExit(f"release: the bill of materials does not hold to its schema: {error}")
    target.write_text(f"{text}\n", encoding="utf-8")
