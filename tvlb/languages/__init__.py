"""Small languages and declarations: calls, choices, settings, members of packages.

Figures of runs are declared as `tvlb.languages.figures` says.
"""

from tvlb.languages.calls import (
    Argument,
    Call,
    Choice,
    NumberArgument,
    Several,
    Signature,
    WholeArgument,
    parse_call,
)
from tvlb.languages.choices import all_of, choose, members, one_of
from tvlb.languages.registry import declared, import_modules
from tvlb.languages.settings import (
    Flag,
    Group,
    Kind,
    Names,
    NamesOrWhole,
    Number,
    Setting,
    SpreadGroup,
    Switch,
    Text,
    Texts,
    Whole,
    asked,
    check_settings,
    made,
    offered,
    setting,
    settings,
)

__all__ = [
    "Argument",
    "Call",
    "Choice",
    "Flag",
    "Group",
    "Kind",
    "Names",
    "NamesOrWhole",
    "Number",
    "NumberArgument",
    "Setting",
    "Several",
    "Signature",
    "SpreadGroup",
    "Switch",
    "Text",
    "Texts",
    "Whole",
    "WholeArgument",
    "all_of",
    "asked",
    "check_settings",
    "choose",
    "declared",
    "import_modules",
    "made",
    "members",
    "offered",
    "one_of",
    "parse_call",
    "setting",
    "settings",
]
