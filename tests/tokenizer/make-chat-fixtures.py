# SPDX-License-Identifier: GPL-3.0-or-later
"""chat.json: what Jinja makes of a message of the user, by chat templates that write the published formats.
Needs python3-jinja2 (3.1.2 was taken). Templates of others, in files *.jinja of a folder, are rendered as
well, into a file beside it, for a look whether they are told rightly:

    /usr/bin/python3 make-chat-fixtures.py [FOLDER OUT.json]
"""

import json
import pathlib
import sys

import jinja2
import jinja2.sandbox

MESSAGE = "  Say <|im_end|></s> twice,\nplease. "


def turns(user, answer, rest=""):
    """One turn of the user after the other; what stands where an answer begins; what comes first."""
    return (rest + "{% for message in messages %}{% if message['role'] == 'user' %}{{ " + user +
            " }}{% endif %}{% endfor %}{% if add_generation_prompt %}{{ " + answer + " }}{% endif %}")


BOS = "{{ bos_token }}"
CONTENT = " + message['content'] + "
TRIMMED = " + message['content'] | trim + "
LLAMA_3 = ("'<|start_header_id|>user<|end_header_id|>\\n\\n'" + TRIMMED + "'<|eot_id|>'",
           "'<|start_header_id|>assistant<|end_header_id|>\\n\\n'")
CHATML = ("'<|im_start|>' + message['role'] + '\\n'" + CONTENT + "'<|im_end|>' + '\\n'",
          "'<|im_start|>assistant\\n'")
COHERE = ("'<|START_OF_TURN_TOKEN|><|USER_TOKEN|>' + message['content'].strip() + '<|END_OF_TURN_TOKEN|>'",
          "'<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>'")
GRANITE = ("'<|start_of_role|>user<|end_of_role|>'" + CONTENT + "'<|end_of_text|>\\n'",
           "'<|start_of_role|>assistant<|end_of_role|>'")
HARMONY = ("<|start|>system<|message|>{{ 'You are ChatGPT, a large language model trained by OpenAI.\\n' }}"
           "{{ 'Knowledge cutoff: 2024-06\\nCurrent date: ' + strftime_now('%Y-%m-%d') + '\\n\\n' }}"
           "{{ 'Reasoning: medium\\n\\n' }}{{ '# Valid channels: analysis, commentary, final. ' }}"
           "{{ 'Channel must be included for every message.<|end|>' }}{# <|channel|> #}")

TEMPLATES = {
    "phi4": turns("'<|im_start|>user<|im_sep|>'" + CONTENT + "'<|im_end|>'",
                  "'<|im_start|>assistant<|im_sep|>'"),
    "chatml": turns(*CHATML),
    "chatml with a system": turns(*CHATML, "{% if messages[0]['role'] != 'system' %}"
                                  "{{ '<|im_start|>system\\nBe brief.<|im_end|>\\n' }}{% endif %}"),
    "chatml with a thought": turns(CHATML[0], "'<|im_start|>assistant\\n<think>\\n'"),
    "llama-4": turns("'<|header_start|>user<|header_end|>\\n\\n'" + TRIMMED + "'<|eot|>'",
                     "'<|header_start|>assistant<|header_end|>\\n\\n'", BOS),
    "llama-3": turns(*LLAMA_3, BOS),
    "llama-3.1": turns(*LLAMA_3, BOS + "{{ '<|start_header_id|>system<|end_header_id|>\\n\\n' }}"
                       "{{ 'Cutting Knowledge Date: December 2023\\n' }}{{ 'Today Date: ' + '26 Jul 2024' + "
                       "'\\n\\n' }}{{ '<|eot_id|>' }}"),
    "gemma": turns("'<start_of_turn>' + message['role'] + '\\n'" + TRIMMED + "'<end_of_turn>\\n'",
                   "'<start_of_turn>model\\n'", BOS),
    "llama-2": turns("'[INST] ' + message['content'].strip() + ' [/INST]'", "''", BOS),
    "mistral v1": turns("' [INST] '" + CONTENT + "' [/INST]'", "''", BOS),
    "mistral v3": turns('"[INST] " + message["content"] + "[/INST]"', "''", BOS),
    "mistral v3 whose answers are trimmed": turns('"[INST] " + message["content"] + "[/INST]"', "''", BOS) +
    "{% for message in messages %}{% if message['role'] == 'assistant' %}"
    "{{ \" \" + message[\"content\"]|trim + eos_token }}{% endif %}{% endfor %}",
    "mistral v3 tekken": turns('"[INST]" + message["content"] + "[/INST]"', "''", BOS),
    "deepseek-v3": turns("'<｜User｜>' + message['content']", "'<｜Assistant｜>'", BOS),
    "deepseek-r1": turns("'<｜User｜>' + message['content']", "'<｜Assistant｜><think>\\n'", BOS),
    "deepseek-v2": turns("'User: '" + CONTENT + "'\\n\\n'", "'Assistant:'", BOS),
    "command-r": turns(*COHERE, BOS),
    "granite": turns(*GRANITE),
    "granite-3.1": turns(*GRANITE, "{{ '<|start_of_role|>system<|end_of_role|>' + 'Knowledge Cutoff Date: "
                         "April 2024.\\n' + \"Today's Date: \" + strftime_now('%B %d, %Y') + '.\\n' + "
                         "'You are Granite, developed by IBM.' }}{{ ' You are a helpful AI assistant.' + "
                         "'<|end_of_text|>\\n' }}"),
    "gpt-oss": turns("'<|start|>user<|message|>'" + CONTENT + "'<|end|>'", "'<|start|>assistant'", HARMONY),
    "glm": "[gMASK]<sop>{% for item in messages %}<|{{ item['role'] }}|>\n{{ item['content'] }}{% endfor %}"
           "{% if add_generation_prompt %}<|assistant|>{% endif %}",
    "phi3": turns("'<|' + message['role'] + '|>' + '\\n'" + CONTENT + "'<|end|>\\n'", "'<|assistant|>\\n'"),
    "phi4-mini": turns("'<|' + message['role'] + '|>'" + CONTENT + "'<|end|>'", "'<|assistant|>'"),
    "zephyr": "{% for message in messages %}\n{% if message['role'] == 'user' %}\n"
              "{{ '<|user|>\\n' + message['content'] + eos_token }}\n{% endif %}\n"
              "{% if loop.last and add_generation_prompt %}\n{{ '<|assistant|>' }}\n{% endif %}\n{% endfor %}",
    "olmo": turns("'<|user|>\\n'" + CONTENT + "'\\n'", "'<|assistant|>\\n'", "{{ eos_token }}"),
}


def fail(message):
    raise jinja2.exceptions.TemplateError(message)


def render(text):
    environment = jinja2.sandbox.ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
    environment.globals["raise_exception"] = fail
    # The dates of publication that the program writes, a format each.
    environment.globals["strftime_now"] = {"%Y-%m-%d": "2025-08-05", "%B %d, %Y": "December 18, 2024"}.get
    return environment.from_string(text).render(
        messages=[{"role": "user", "content": MESSAGE}], add_generation_prompt=True, bos_token="<s>",
        eos_token="</s>")


def write(path, templates):
    cases = []
    for name, text in templates.items():
        try:
            cases.append({"name": name, "template": text, "message": MESSAGE, "rendered": render(text)})
        except jinja2.exceptions.TemplateError as error:
            print(name, error)
    path.write_text(json.dumps(cases, indent=1, ensure_ascii=False) + "\n")


write(pathlib.Path(__file__).parent / "chat.json", TEMPLATES)
if len(sys.argv) > 1:
    write(pathlib.Path(sys.argv[2]),
          {path.name: path.read_text() for path in sorted(pathlib.Path(sys.argv[1]).glob("*.jinja"))})
