"""Descriptions and comments in both of Jira's shapes: text (API v2) and Atlassian Documents (API v3).

Kept as they came and turned over when read through the other version. The text that we make of a document
is its words, a line a block; Jira makes wiki markup. The document that we make of a text has one paragraph
per line.
"""

import json
from typing import Any

LIMIT = 32_767
"""Characters that a text field takes, as Jira documents it."""

Text = str | dict[str, Any]
NEEDS_DOCUMENT = "Operation value must be an Atlassian Document (see the Atlassian Document Format)"
NEEDS_STRING = "Operation value must be a string"
TOO_LONG = f"The entered text is too long. It exceeds the allowed limit of {LIMIT:,} characters."


def what_is_wrong(value: Any, version: int) -> str | None:
    """Jira's complaint about a text given through this version of the API; None where it is fine."""
    if version == 2:
        if not isinstance(value, str):
            return NEEDS_STRING
        return TOO_LONG if len(value) > LIMIT else None
    if not is_document(value):
        return NEEDS_DOCUMENT
    return TOO_LONG if len(json.dumps(value)) > LIMIT else None


def is_document(value: Any) -> bool:
    """Whether this is an Atlassian Document, as far as we look: the envelope, and a type on every node."""
    if not isinstance(value, dict) or value.get("type") != "doc" or value.get("version") != 1:
        return False
    return isinstance(value.get("content"), list) and all(_is_node(node) for node in value["content"])


def _is_node(node: Any) -> bool:
    if not isinstance(node, dict) or not isinstance(node.get("type"), str):
        return False
    if node["type"] == "text":
        return isinstance(node.get("text"), str) and node["text"] != ""
    content = node.get("content", [])
    return isinstance(content, list) and all(_is_node(child) for child in content)


def shown(text: Text | None, version: int) -> Text | None:
    """The text as this version of the API gives it."""
    if text is None:
        return None
    return as_text(text) if version == 2 else as_document(text)


def as_document(text: Text) -> dict[str, Any]:
    """The text as an Atlassian Document."""
    if isinstance(text, dict):
        return text
    paragraphs = [
        {"type": "paragraph", "content": [{"type": "text", "text": line}] if line else []} for line in text.split("\n")
    ]
    return {"type": "doc", "version": 1, "content": paragraphs}


def as_text(text: Text) -> str:
    """The text as plain text."""
    if isinstance(text, str):
        return text
    return "\n".join(_words(block) for block in text["content"])


def _words(node: dict[str, Any]) -> str:
    if node["type"] == "text":
        return node["text"]
    if node["type"] == "hardBreak":
        return "\n"
    between = "\n" if node["type"] in ("bulletList", "orderedList", "listItem", "blockquote", "panel") else ""
    return between.join(_words(child) for child in node.get("content", []))
