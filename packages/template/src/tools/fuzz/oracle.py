"""Answers template cases with the Jinja2 that is installed: JSON lines in, JSON lines out."""
import json
import sys

from jinja2 import TemplateSyntaxError
from jinja2.sandbox import SandboxedEnvironment


def restore_floats(value, types, pointer=""):
    if isinstance(value, dict):
        return {key: restore_floats(item, types, f"{pointer}/{key}") for key, item in value.items()}
    if isinstance(value, list):
        return [restore_floats(item, types, f"{pointer}/{index}") for index, item in enumerate(value)]
    return float(value) if types.get(pointer) == "float" else value


def answer(case):
    try:
        template = SandboxedEnvironment().from_string(case["template"])
    except TemplateSyntaxError as error:
        return {"error": str(error), "phase": "compile"}
    except Exception as error:
        return {"error": str(error), "phase": "compile"}
    try:
        return {"output": template.render(restore_floats(case["context"], case.get("types", {})))}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}", "phase": "render"}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
