# SPDX-License-Identifier: GPL-3.0-or-later
"""chat/expected.json: what Jinja makes of messages with pictures, set as transformers sets it. The templates
chat/*.jinja are of the form of those published with llava, gemma3, qwen2_5_vl and qwen3_vl, shortened where they
are about tools. Needs python3-jinja2 (3.1.6 was taken).

    python3 make-chat-fixtures.py
"""

import json
import pathlib

import jinja2
import jinja2.ext
import jinja2.sandbox

FOLDER = pathlib.Path(__file__).parent / "chat"
MARKS = {"llava": "<image>", "gemma3": "<start_of_image>",
         "qwen2_5_vl": "<|vision_start|><|image_pad|><|vision_end|>",
         "qwen3_vl": "<|vision_start|><|image_pad|><|vision_end|>"}
IMAGE = None
MESSAGES = [[IMAGE, "What is this?"], [IMAGE, "\n What is this?\n "], ["Look at ", IMAGE, ". What is it?"],
            ["Behind: ", IMAGE], [IMAGE], ["  ", IMAGE, " \t"], ["a </s><|im_end|> b", IMAGE, "é😀 \u2003"],
            [IMAGE, "and", IMAGE, "differ by what?"], [IMAGE, IMAGE], ["1", IMAGE, "2", IMAGE, IMAGE, "3"],
            ["A text alone."]]


class Generation(jinja2.ext.Extension):
    """{% generation %}: what an assistant says, marked for training."""
    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("put_out"), [], [], body).set_lineno(line)

    def put_out(self, caller):
        return caller()


def fail(message):
    raise jinja2.exceptions.TemplateError(message)


def render(template, parts):
    environment = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[jinja2.ext.loopcontrols, Generation])
    environment.globals["raise_exception"] = fail
    content = [{"type": "image"} if part is IMAGE else {"type": "text", "text": part} for part in parts]
    return environment.from_string(template).render(
        messages=[{"role": "user", "content": content}], tools=None, documents=None, add_generation_prompt=True,
        bos_token="<s>", eos_token="</s>")


def main():
    cases = []
    for name, mark in MARKS.items():
        template = (FOLDER / f"{name}.jinja").read_text()
        for parts in MESSAGES:
            cases.append({"template": name, "mark": mark,
                          "text": "".join(mark if part is IMAGE else part for part in parts),
                          "expected": render(template, parts)})
    (FOLDER / "expected.json").write_text(json.dumps(cases, indent=1, ensure_ascii=False) + "\n")


main()
