"""Checks the subset of JSON Schema that our schemas use."""
import json
import os
import re

TYPES = {"string": str, "number": (int, float), "integer": int, "boolean": bool, "object": dict, "array": list, "null": type(None)}


def is_type(value, name):
    if isinstance(value, bool): return name == "boolean"
    return isinstance(value, TYPES[name]) or (name == "integer" and isinstance(value, float) and value.is_integer())


def load(path):
    """The schema in a file; referenced schemas are in the same folder."""
    with open(path) as file: schema = json.load(file)
    schema["allOf"] = [load(os.path.join(os.path.dirname(path), one["$ref"])) for one in schema.get("allOf", [])]
    return schema


def problems(value, schema, at="$"):
    for one in schema.get("allOf", []): yield from problems(value, one, at)
    if "enum" in schema and value not in schema["enum"]: yield f"{at}: {value!r} is none of {schema['enum']}"
    if "type" in schema:
        types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        if not any(is_type(value, t) for t in types):
            yield f"{at}: {value!r} is not of type {types}"
            return
    if isinstance(value, (int, float)) and value < schema.get("minimum", value): yield f"{at}: {value} is below {schema['minimum']}"
    if isinstance(value, str):
        if not re.search(schema.get("pattern", ""), value): yield f"{at}: {value!r} does not match {schema['pattern']}"
        if not schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value)): yield f"{at}: length {len(value)}"
    if isinstance(value, list) and "items" in schema:
        for i, item in enumerate(value): yield from problems(item, schema["items"], f"{at}[{i}]")
    if isinstance(value, dict):
        for key in schema.get("required", []):
            if key not in value: yield f"{at}: '{key}' is missing"
        for key, item in value.items():
            if key in schema.get("properties", {}):
                yield from problems(item, schema["properties"][key], f"{at}.{key}")
            elif patterns := [s for pattern, s in schema.get("patternProperties", {}).items() if re.search(pattern, key)]:
                for one in patterns: yield from problems(item, one, f"{at}.{key}")
            elif isinstance(schema.get("additionalProperties"), dict):
                yield from problems(item, schema["additionalProperties"], f"{at}.{key}")
            elif schema.get("additionalProperties") is False:
                yield f"{at}: '{key}' is not expected"
