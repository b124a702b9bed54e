"""What people and programs read and write: documents, frames, templates, files."""

from tvlb.documents.files import (
    PathIdentity,
    atomic_file,
    check_directory,
    check_writable,
    explained,
    free_path,
    safe_name,
    stale_before,
    sync_directory,
)
from tvlb.documents.frames import Frame, arrow_table
from tvlb.documents.plain import WHOLE, Document, link_kinds, plain
from tvlb.documents.provenance import VERSION, versions
from tvlb.documents.reading import (
    MAX_BYTES,
    MAX_LINES,
    bounded,
    decimal_number,
    inflated,
    json_text,
    lines_of,
    parse_json,
    parse_toml,
    parse_unique_json,
    parse_xml,
    read_file,
    whole_number,
)

__all__ = [
    "MAX_BYTES",
    "MAX_LINES",
    "VERSION",
    "WHOLE",
    "Document",
    "Frame",
    "PathIdentity",
    "arrow_table",
    "atomic_file",
    "bounded",
    "check_directory",
    "check_writable",
    "decimal_number",
    "explained",
    "free_path",
    "inflated",
    "json_text",
    "lines_of",
    "link_kinds",
    "parse_json",
    "parse_toml",
    "parse_unique_json",
    "parse_xml",
    "plain",
    "read_file",
    "safe_name",
    "stale_before",
    "sync_directory",
    "versions",
    "whole_number",
]
