"""Renders template cases with the installed Jinja2: JSON lines in, JSON lines out."""
import json
import random
import sys

from jinja2.sandbox import SandboxedEnvironment

# Makes random.choice return the first item, as in `case-runner.ts`.
random._inst._randbelow = lambda count: 0


def restore_floats(value, types, pointer=""):
    if isinstance(value, dict):
        return {key: restore_floats(item, types, f"{pointer}/{key}") for key, item in value.items()}
    if isinstance(value, list):
        return [restore_floats(item, types, f"{pointer}/{index}") for index, item in enumerate(value)]
    return float(value) if types.get(pointer) == "float" else value


def render(case):
    try:
        template = SandboxedEnvironment().from_string(case["template"])
    except Exception as error:
        return {"error": str(error), "phase": "compile"}
    try:
        return {"output": template.render(restore_floats(case["context"], case.get("types", {})))}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}", "phase": "render"}


for line in sys.stdin:
    print(json.dumps(render(json.loads(line))), flush=True)
