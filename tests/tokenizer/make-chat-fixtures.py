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
import jinja2.ext
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

SMOLLM3 = """{%- if enable_thinking is not defined -%}
  {%- set enable_thinking = true -%}
{%- endif -%}
{%- if enable_thinking -%}
  {%- set reasoning_mode = "/think" -%}
{%- else -%}
  {%- set reasoning_mode = "/no_think" -%}
{%- endif -%}
{{- "<|im_start|>system\\n" -}}
{{- "## Metadata\\n\\n" -}}
{{- "Knowledge Cutoff Date: June 2025\\n" -}}
{%- set today = strftime_now("%d %B %Y") -%}
{{- "Today Date: " ~ today ~ "\\n" -}}
{{- "Reasoning Mode: " + reasoning_mode + "\\n\\n" -}}
{{- "## Custom Instructions\\n\\n" -}}
{%- if custom_instructions -%}
  {{- custom_instructions + "\\n\\n" -}}
{%- elif reasoning_mode == "/think" -%}
  {{- "Think, then say \\"it\\".\\n\\n" -}}
{%- else -%}
  {{- "Say it.\\n\\n" -}}
{%- endif -%}
"""
MISTRAL_SMALL = """{%- set today = strftime_now("%Y-%m-%d") %}
{%- set default_system_message = "You know what was said.\\nIt's " + today + ".\\
\\tAsk (\\"Where?\\")." %}
{{- bos_token }}
{{- '[SYSTEM_PROMPT]' + default_system_message + '[/SYSTEM_PROMPT]' }}
{%- for message in messages %}
    {%- if message["content"] is string %}
        {{- '[INST]' + message["content"] + '[/INST]' }}
    {%- else %}
        {{- '[INST][IMG][/INST]' }}
    {%- endif %}
{%- endfor %}
"""
COMMAND_R7B = """{{ bos_token }}{%- if messages[0]['role'] == 'system' %}
    {%- set developer_preamble = messages[0]['content'] %}{% endif %}
<|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|># System Preamble
Be kind.

You know  {braces} and 50 % of it.
{% if tools or documents %}

## Tool Use
{% for tool in tools %}{% if tool %}- {{ tool }}{% endif %}
{% endfor %}
{% endif %}
# Default Preamble
- Your name is Command.
{%- if developer_preamble %}


{{ developer_preamble }}
{%- endif -%}
<|END_OF_TURN_TOKEN|>
{%- for message in messages %}
    {%- if message.role|lower == 'user' %}
<|START_OF_TURN_TOKEN|><|USER_TOKEN|>{{ message.content }}<|END_OF_TURN_TOKEN|>
    {%- endif %}
{%- endfor %}<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>"""
GRANITE_4 = """{%- set g4_default_system_message = 'You help, and don\\'t harm.' %}
{%- set ns = namespace(default_system_message=g4_default_system_message) %}
{{- '<|start_of_role|>system<|end_of_role|>' + ns.default_system_message + '<|end_of_text|>\\n' }}
"""
GEMMA_4 = """{{ bos_token }}
{%- for message in messages -%}
    {%- set role = 'model' if message['role'] == 'assistant' else message['role'] -%}
        {{- '<|turn>' + role + '\\n' }}
            {%- if message['content'] is string -%}
                {{- message['content'] | trim -}}
            {%- endif -%}
        {{- '<turn|>\\n' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}
    {{- '<|turn>model\\n' -}}
    {%- if not enable_thinking | default(false) -%}
        {{- '<|channel>thought\\n<channel|>' -}}
    {%- endif -%}
{%- endif -%}
"""
GLM_4_7 = """[gMASK]<sop>
{%- macro visible_text(content) -%}
    {%- if content is string -%}
        {{- content }}
    {%- endif -%}
{%- endmacro -%}
{% for m in messages %}
{%- if m.role == 'user' -%}<|user|>{{ visible_text(m.content) }}
{%- elif m.role == 'assistant' -%}
<|assistant|>{{ '</think>' }}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}
    <|assistant|>{{- '</think>' if (enable_thinking is defined and not enable_thinking) else '<think>' -}}
{%- endif -%}
"""

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
    "gemma-4": GEMMA_4,
    "gemma-4 small": GEMMA_4.replace("<|channel>thought\\n<channel|>", ""),
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
    "glm-4.7": GLM_4_7,
    "phi3": turns("'<|' + message['role'] + '|>' + '\\n'" + CONTENT + "'<|end|>\\n'", "'<|assistant|>\\n'"),
    "phi4-mini": turns("'<|' + message['role'] + '|>'" + CONTENT + "'<|end|>'", "'<|assistant|>'"),
    "zephyr": "{% for message in messages %}\n{% if message['role'] == 'user' %}\n"
              "{{ '<|user|>\\n' + message['content'] + eos_token }}\n{% endif %}\n"
              "{% if loop.last and add_generation_prompt %}\n{{ '<|assistant|>' }}\n{% endif %}\n{% endfor %}",
    "smollm3": SMOLLM3 + turns(*CHATML),
    "chatml whose system is a variable": "{%- set system_message = 'You are brief.' %}{{- '<|im_start|>system\\n' + "
    "system_message + '<|im_end|>\\n' }}" + turns(*CHATML),
    "qwen3.5": turns(*CHATML) + "{{- '<think>\n' }}",
    "llama-3.2 for pictures": turns(LLAMA_3[0].replace(" | trim", ""), LLAMA_3[1], BOS),
    "mistral-small-3.1": MISTRAL_SMALL,
    "mistral-small-3": MISTRAL_SMALL.replace("[IMG]", ""),
    "command-r7b": COMMAND_R7B,
    "granite-4": GRANITE_4.strip() + turns(*GRANITE),
    "olmo": turns("'<|user|>\\n'" + CONTENT + "'\\n'", "'<|assistant|>\\n'", "{{ eos_token }}"),
}


def fail(message):
    raise jinja2.exceptions.TemplateError(message)


class Generation(jinja2.ext.Extension):
    """{% generation %}: what an assistant says, marked for training."""
    tags = {"generation"}

    def parse(self, parser):
        next(parser.stream)
        return parser.parse_statements(["name:endgeneration"], drop_needle=True)


def render(text):
    environment = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[jinja2.ext.loopcontrols, Generation])
    environment.globals["raise_exception"] = fail
    # The dates of publication that the program writes.
    day = "2025-03-17" if "[IMG]" in text else "2025-01-30" if "[SYSTEM_PROMPT]" in text else "2025-08-05"
    environment.globals["strftime_now"] = {"%Y-%m-%d": day, "%B %d, %Y": "December 18, 2024",
                                           "%d %B %Y": "08 July 2025", "%d %b %Y": "26 Jul 2024"}.get
    return environment.from_string(text).render(
        messages=[{"role": "user", "content": MESSAGE}], add_generation_prompt=True, bos_token="<s>",
        eos_token="</s>")


def write(path, templates):
    cases = []
    for name, text in templates.items():
        try:
            cases.append({"name": name, "template": text, "message": MESSAGE, "rendered": render(text)})
        except (jinja2.exceptions.TemplateError, TypeError) as error:
            print(name, error)
    path.write_text(json.dumps(cases, indent=1, ensure_ascii=False) + "\n")


write(pathlib.Path(__file__).parent / "chat.json", TEMPLATES)
if len(sys.argv) > 1:
    write(pathlib.Path(sys.argv[2]),
          {path.name: path.read_text() for path in sorted(pathlib.Path(sys.argv[1]).glob("*.jinja"))})
