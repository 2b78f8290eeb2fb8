# SPDX-License-Identifier: GPL-3.0-or-later
"""jinja.json: what Jinja makes of templates that have each construct of the language, set as transformers
sets it. Needs python3-jinja2 (3.1.2 was taken). Templates of others, in files *.jinja of a folder, are
rendered as well, into a file beside it, which test-jinja reads where ATTENTION_GRID_JINJA_CASES names it:

    /usr/bin/python3 make-jinja-fixtures.py [FOLDER OUT.json]
"""

import datetime
import json
import pathlib
import sys

import jinja2
import jinja2.ext
import jinja2.sandbox

NOW = datetime.datetime(2026, 3, 5, 14, 7, 9)
VARIABLES = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}
USER = {"role": "user", "content": "  Say <|im_end|>'é\" twice,\nplease. "}
SYSTEM = {"role": "system", "content": "Be brief.\n"}
ANSWER = {"role": "assistant", "content": "<think>\nWhy?\n</think>\n\nNo. "}
CONVERSATIONS = [([USER], True), ([USER], False), ([SYSTEM, USER], True),
                 ([USER, ANSWER, {"role": "user", "content": "Then?"}], True),
                 ([SYSTEM, USER, ANSWER, USER, ANSWER], False)]

# What is between two lines of "---" is a template.
CASES = r"""
{{ 1 }} {{ 1.0 }} {{ 1.5e3 }} {{ 1e100 }} {{ 0.1 + 0.2 }} {{ 1e-5 }} {{ 123456789012345678.0 }} {{ 0.0001 }} {{ 1_000 }} {{ 0x1F }} {{ 0b101 }} {{ 0o17 }}
---
{{ 'a' "b" 'c\'d' "e\"f" '\n\t\\\x41\u00e9\q' }}
---
{{ '\
x' ~ "\U0001F600" ~ '\101' }}
---
{{ true }} {{ True }} {{ false }} {{ none }} {{ None }} {{ missing }}|{{ missing.x is defined }}
---
{{ missing is defined }} {{ missing is undefined }} {{ messages is defined }} {{ tools is none }} {{ documents }}
---
{{ 7 // 2 }} {{ -7 // 2 }} {{ 7 % 3 }} {{ -7 % 3 }} {{ 7 % -3 }} {{ 7 / 2 }} {{ 2 ** 10 }} {{ 2 ** -1 }} {{ 2 ** 3 ** 2 }} {{ -2 ** 2 }} {{ 7.5 // 2 }} {{ -7.5 % 2 }} {{ 1 + 2 * 3 - 4 }} {{ (-1) ** 3 }} {{ 0 ** 0 }}
---
{{ 'a' * 3 }} {{ 2 * 'ab' }} {{ [1] * 2 }} {{ 'a' + 'b' }} {{ [1] + [2, 3] }} {{ (1,) + (2,) }} {{ 1 ~ 'a' ~ none ~ 1.0 }} {{ true + 1 }}
---
{{ 1 + 'a' }}
---
{{ 'a' + 1 }}
---
{{ missing + 'a' }}
---
{{ 1 / 0 }}
---
{{ missing.x.y }}
---
{{ none.x }}|{{ none['x'] }}|{{ (1).x }}
---
{{ missing() }}
---
{{ messages.append(1) }}
---
{{ messages[0].update({'a': 1}) }}
---
{{ nofilter | nosuchfilter }}
---
{{ 1 is nosuchtest }}
---
{{ 1 < 2 }} {{ 1 < 2 < 3 }} {{ 1 < 3 < 2 }} {{ 'a' < 'b' }} {{ 'a' == 'a' }} {{ 1 == 1.0 }} {{ true == 1 }} {{ [1, 2] == [1, 2] }} {{ (1, 2) == [1, 2] }} {{ {'a': 1} == {'a': 1.0} }} {{ none == none }} {{ 1 != 2 }} {{ 2 >= 2 }} {{ [1, 2] < [1, 3] }} {{ missing == missing }} {{ missing == none }}
---
{{ 1 < 'a' }}
---
{{ 'a' in 'abc' }} {{ 'x' not in 'abc' }} {{ 1 in [1, 2] }} {{ 'role' in messages[0] }} {{ 3 in (1, 2) }} {{ 'a' in missing }} {{ not 1 in [1] }}
---
{{ 1 in 'abc' }}
---
{{ 1 in 5 }}
---
{{ 1 and 2 }} {{ 0 and 2 }} {{ 0 or 'x' }} {{ '' or none }} {{ not 0 }} {{ not not 'a' }} {{ not not not 'a' }} {{ 1 or 2 and 0 }}
---
{{ 'a' if true }} {{ 'a' if false }}| {{ 'a' if false else 'b' if true else 'c' }} {{ ('a' if 0 else 'b') ~ 'c' }}
---
{{ [1, 'a', none, true, 1.5, [2], (3,), {}, {'k': 'v', 2: "it's"}] }} {{ () }} {{ (1, 2) }} {{ 1, 2 }}
---
{{ ["it's", 'say "x"', 'both \' "', 'tab\t\n\\', 'é\x01\x7f\u200b'] }}
---
{{ [1, 2, 3,] }} {{ {'a': 1, 'b': 2,} }} {{ {'a': 1, 'a': 2} }} {{ {1: 'x', true: 'y'} }}
---
{{ 'hello'[0] }} {{ 'hello'[-1] }} {{ 'hello'[1:3] }} {{ 'hello'[::-1] }} {{ 'hello'[::2] }} {{ 'hello'[-3:] }} {{ 'hello'[:-1] }} {{ [1, 2, 3][1:] }} {{ [1, 2, 3][::-1] }} {{ (1, 2, 3)[:2] }} {{ 'hé'[1] }} {{ [1, 2, 3][5] }}|{{ 'abc'[10:] }}|{{ [1,2,3,4][3:0:-2] }}
---
{{ messages[1:] | length }} {{ messages[-1].role }} {{ messages[0]['role'] }} {{ messages.0.role }} {{ messages[0].nope }}|{{ messages[0]['nope'] }}|{{ messages[99] }}
---
{{ {'items': 1}.items }}
---
{{ {'items': 1}['items'] }} {{ {'a': 1}['get']('a') }} {{ {'keys': 2, 'a': 1}.a }}
---
{% for k, v in {'a': 1, 'b': 2}.items() %}{{ k }}={{ v }};{% endfor %}{% for k in {'a': 1, 'b': 2} %}{{ k }}{% endfor %}{% for k in {'a': 1}.keys() %}{{ k }}{% endfor %}{% for v in {'a': 1}.values() %}{{ v }}{% endfor %}
---
{% for a, (b, c) in [(1, (2, 3)), [4, [5, 6]]] %}{{ a }}{{ b }}{{ c }} {% endfor %}
---
{% for a, b in [(1, 2, 3)] %}{{ a }}{% endfor %}
---
{% for x in [1, 2, 3] %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }}{{ loop.depth }}{{ loop.depth0 }}{{ loop.previtem }}{{ loop.nextitem }}{{ loop.cycle('a', 'b') }}{{ loop.changed(x // 2) }}
{% endfor %}
---
{% for x in [] %}a{% else %}none{% endfor %}{% for x in missing %}a{% else %}none{% endfor %}{% for x in [1] %}{{ x }}{% else %}none{% endfor %}
---
{% for x in none %}a{% endfor %}
---
{% for x in 5 %}a{% endfor %}
---
{% for c in 'hé!' %}{{ c }}.{% endfor %}
---
{{ none | map('upper') | list }}{{ none | selectattr("type", "equalto", "x") | list | length }}{{ 0 | reject | list }}{{ '' | rejectattr | list }}{{ missing | map(attribute='x') | list }}{{ none | select | list }}
---
{{ 5 | select | list }}
---
{{ 5 | map('upper') | list }}
---
{% for x in [1, 2, 3, 4] if x is even %}{{ x }}{{ loop.index }}{{ loop.length }}{% else %}no{% endfor %}{% for x in [1] if x > 2 %}{{ x }}{% else %}no{% endfor %}
---
{% for x in [1, 2, 3, 4, 5] %}{% if x == 2 %}{% continue %}{% endif %}{% if x == 4 %}{% break %}{% endif %}{{ x }}{% endfor %}
---
{% for x in [1, 2] %}{% for y in [1, 2, 3] %}{% if y == 2 %}{% break %}{% endif %}{{ x }}{{ y }}{{ loop.index }} {% endfor %}{{ loop.index }}{% endfor %}
---
{% for x in [[1, [2, 3]], [4]] recursive %}{% if x is sequence %}[{{ loop(x) }}]{{ loop.depth }}{% else %}{{ x }}{% endif %}{% endfor %}
---
{% set x = 1 %}{% for i in [1, 2] %}{{ x }}{% set x = x + 1 %}{{ x }}{% endfor %}{{ x }}
---
{% set ns = namespace(n=0, a=[]) %}{% for i in [1, 2, 3] %}{% set ns.n = ns.n + i %}{% set ns.a = ns.a + [i] %}{% endfor %}{{ ns.n }} {{ ns.a }} {{ ns.b is defined }} {{ ns['n'] }}
---
{% set x = {} %}{% set x.y = 1 %}
---
{% if false %}a{% elif 0 %}b{% elif 1 %}c{% else %}d{% endif %}{% if '' %}a{% else %}{% set y = 5 %}{% endif %}{{ y }}
---
{% set a, b = 1, 2 %}{{ a }}{{ b }}{% set c = 1, 2 %}{{ c }}{% set (d, e) = 'xy' %}{{ d }}{{ e }}
---
{% set x %}  a {{ 1 }} {% endset %}[{{ x }}]{% set y | upper | trim %} abc {% endset %}[{{ y }}]
---
{% set x = 1 %}{% set y %}{% set x = 2 %}{{ x }}{% endset %}{{ x }}{{ y }}
---
{% macro m(a, b='B', c=a ~ 'c') %}<{{ a }}|{{ b }}|{{ c }}>{% endmacro %}{{ m(1) }}{{ m(1, 2) }}{{ m(1, c=3) }}{{ m(b=1, a=2) }}{{ m() }}
---
{% macro m(a) %}{{ a }}{{ varargs }}{{ kwargs }}{% endmacro %}{{ m(1, 2, 3, x=4) }}
---
{% set x = 'first' %}{% macro m() %}{{ x }}{% endmacro %}{{ m() }}{% set x = 'second' %}{{ m() }}
---
{% macro f(n) %}{% if n > 0 %}{{ n }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(4) }}
---
{% macro outer() %}{% set z = 1 %}{% macro inner() %}{{ z }}{% endmacro %}{{ inner() }}{% endmacro %}{{ outer() }}{{ z }}
---
{% macro m(x) %}[{{ caller(x) }}]{% endmacro %}{% call(y) m(3) %}{{ y * 2 }}{% endcall %}{% macro n() %}({{ caller() }}){% endmacro %}{% call n() %}in{% endcall %}
---
{% macro m() %}a{% endmacro %}{{ m() | upper }}{{ m() ~ 'b' }}{{ m() + 'c' }}{{ m() == 'a' }}{{ m() is string }}
---
{% filter upper %}abc {{ 'd' }}{% endfilter %}{% filter replace('a', 'b') | trim %} aa {% endfilter %}
---
{% with a = 1, b = 2 %}{{ a }}{{ b }}{% endwith %}{{ a }}{% with %}{% set q = 1 %}{% endwith %}{{ q }}{% set a = 5 %}{% with a = a + 1, b = a %}{{ a }}{{ b }}{% endwith %}
---
{% generation %}said {{ 1 }}{% endgeneration %}{% for m in messages %}{% if m.role == 'assistant' %}{% generation %}{{ m.content }}{% endgeneration %}{% endif %}{% endfor %}
---
a
  {% if true %}
  b
  {% endif %}
c {% if true %} d
{% endif %}
e
---
a {%- if true -%} b {%- endif -%} c
---
a
    {%+ if true %}
  b
{%- endif +%}
c
---
   {{ 1 }}
  {# comment #}
  {#- comment -#}
x {# a
b #}
y {#+ z +#}
z
---
{{- 1 -}}   
  {{ 2 }}
---
{% raw %}  {{ not }} {% this %} {% endraw %}
a {%- raw -%}  {{ x }}  {%- endraw -%} b
   {% raw %}
 {{ y }}
   {% endraw %}
z
---
  {% for x in [1, 2] %}
    - {{ x }}
  {% endfor %}
end
---
{%- for x in [1, 2] -%}
    {{ x }},
{%- endfor +%}
 end
---
{{ '{{' }} {{ '%}' }} {{ "}}" }} {{ {'a': {'b': 1}} }}
---
{% if messages[0]['content'] %}{{ messages[0]['content'] | trim }}{% endif %}{{ messages[0]['content'].strip() + '|' }}
---
{{ ' a '.strip() }}{{ 'xxaxx'.strip('x') }}{{ ' a'.lstrip() }}{{ 'a '.rstrip() }}|{{ 'a.b.c'.split('.') }}{{ ' a  b '.split() }}{{ 'a b c'.split(' ', 1) }}{{ 'a  b c '.split(none, 1) }}{{ 'a.b.c'.rsplit('.', 1) }}{{ 'abc'.split('b')[-1] }}{{ ''.split() }}{{ ''.split(',') }}
---
{{ 'abc'.startswith('a') }}{{ 'abc'.endswith(('b', 'c')) }}{{ 'abc'.upper() }}{{ 'ABC'.lower() }}{{ "they're bill's".title() }}{{ "they're (bill's) a-b".title() }}{{ 'hELLO wORLD'.capitalize() }}{{ 'aXbX'.replace('X', '-') }}{{ 'aXbX'.replace('X', '-', 1) }}{{ 'ab'.replace('', '-') }}{{ 'abcabc'.find('c') }}{{ 'abcabc'.rfind('c') }}{{ 'abc'.find('z') }}{{ 'éa'.index('a') }}{{ 'aXXb'.count('X') }}{{ 'a,b'.partition(',') }}{{ 'a,b,c'.rpartition(',') }}{{ 'ab'.partition('x') }}{{ 'ab'.rpartition('x') }}
---
{{ 'a\nb\r\nc\n'.splitlines() }}{{ 'a\nb'.splitlines(true) }}{{ '-'.join(['a', 'b']) }}{{ '12'.isdigit() }}{{ 'a1'.isalpha() }}{{ 'a1'.isalnum() }}{{ ' '.isspace() }}{{ ''.isdigit() }}{{ 'ab'.islower() }}{{ 'aB'.isupper() }}{{ 'pre-x'.removeprefix('pre-') }}{{ 'x.py'.removesuffix('.py') }}{{ 'a'.ljust(3, '.') }}{{ 'a'.rjust(3) }}
---
{{ '{} and {}'.format(1, 'b') }}{{ '{1}{0}{{}}'.format('a', 'b') }}{{ '{name}'.format(name='n') }}
---
{{ '%s is %d%%' % ('a', 3.7) }}{{ '%s' % 'x' }}{{ '%r' % ['x'] }}{{ '%s-%s' | format('a', 'b') }}
---
{{ {'a': 1}.get('a') }}{{ {'a': 1}.get('b') }}{{ {'a': 1}.get('b', 'c') }}{{ messages[0].get('role') }}{{ [1, 2, 1].count(1) }}{{ [1, 2].index(2) }}
---
{{ missing | default('d') }}{{ '' | default('d') }}|{{ '' | default('d', true) }}{{ none | default('d') }}{{ missing | d }}|{{ missing.x | default('d') if false }}{{ messages[0].x | default('y') }}{{ 0 | default(1, boolean=true) }}
---
{{ [3, 1, 2] | sort }}{{ ['b', 'A', 'c'] | sort }}{{ ['b', 'A', 'c'] | sort(case_sensitive=true) }}{{ [3, 1, 2] | sort(reverse=true) }}{{ [{'n': 2}, {'n': 1}] | sort(attribute='n') }}{{ {'b': 1, 'A': 2} | dictsort }}{{ {'b': 1, 'a': 2} | dictsort(by='value') }}{{ {'b': 1, 'a': 2} | dictsort(reverse=true) }}
---
{{ [1, 2, 3] | length }}{{ 'hé' | length }}{{ messages | count }}{{ {} | length }}{{ missing | length }}{{ [1, 2] | first }}{{ [1, 2] | last }}{{ 'abc' | first }}{{ [] | first }}|{{ [1, 2] | sum }}{{ [{'a': 1}, {'a': 2}] | sum(attribute='a') }}{{ [1, 5, 2] | max }}{{ ['b', 'A'] | min }}
---
{{ [1, 2] | join }}{{ ['a', none, 1] | join(', ') }}{{ [{'a': 'x'}, {'a': 'y'}] | join('-', attribute='a') }}{{ 'abc' | join('.') }}{{ [1, 2] | reverse | list }}{{ 'abc' | reverse }}{{ 'ab' | list }}{{ (1, 2) | list }}{{ [1, 1, 'a', 'A'] | unique | list }}
---
{{ messages | map(attribute='role') | list }}{{ messages | map(attribute='nope', default='d') | join(',') }}{{ ['a', 'b'] | map('upper') | join }}{{ ['a', 'b'] | map('replace', 'a', 'x') | list }}{{ messages | selectattr('role', 'equalto', 'user') | list | length }}{{ messages | rejectattr('role', '==', 'user') | map(attribute='role') | list }}{{ [1, 2, 3, 0] | select | list }}{{ [1, 2, 3] | select('odd') | list }}{{ [1, 2, 3] | reject('odd') | list }}{{ [1, 2, 3] | select('>', 1) | list }}{{ messages | selectattr('nope') | list }}{{ messages | selectattr('role', 'in', ['system']) | list | length }}{{ messages | selectattr('x', 'defined') | list }}
---
{{ [1, 2] | map('string') }}
---
{{ (messages | selectattr('role', 'equalto', 'nobody')) is iterable }}{% if messages | selectattr('role', 'equalto', 'nobody') %}a generator is true{% endif %}{% set g = [1, 2] | map('string') %}{{ g | list }}{{ g | list }}
---
{{ 'a b' | upper }}{{ 'A B' | lower }}{{ 'a bC-d(e' | title }}{{ 'aBC' | capitalize }}{{ ' x ' | trim }}{{ 'xax' | trim('x') }}{{ 5 | string + 'a' }}{{ 1.5 | string }}{{ none | string }}{{ 'ab' | replace('a', 'c') }}{{ 5 | trim }}{{ 12 | lower }}{{ 'one two, three' | wordcount }}
---
{{ '3' | int }}{{ '3.7' | int }}{{ 'x' | int }}{{ 'x' | int(5) }}{{ 3.9 | int }}{{ '0x1f' | int(base=16) }}{{ none | int }}{{ '1.5' | float }}{{ 'x' | float }}{{ 2 | float }}{{ 2.5 | round }}{{ 3.5 | round }}{{ 2.345 | round(2) }}{{ 2.1 | round(0, 'ceil') }}{{ 2.9 | round(method='floor') }}{{ -3 | abs }}{{ (-3) | abs }}{{ -2.5 | abs }}{{ 1234 | round(-2) }}
---
{{ 'a\nb\n\nc' | indent }}|{{ 'a\nb' | indent(2, true) }}|{{ 'a\n\nb' | indent(2, blank=true) }}|{{ 'a\nb\n' | indent('> ') }}|{{ '' | indent(2, true) }}
---
{{ messages | tojson }}
---
{{ {'b': [1, 2.5, none, true], 'a': 'é"\n\t\\/\x01<&>', 'c': {}, 'd': [], 'e': (1,)} | tojson }}
---
{{ {'b': [1, {'x': 2}], 'a': {}} | tojson(indent=2) }}{{ {'b': 1, 'a': 2} | tojson(sort_keys=true) }}{{ {'b': [1, 2]} | tojson(separators=(',', ':')) }}{{ 'é😀' | tojson(ensure_ascii=true) }}{{ 1 | tojson }}{{ 'x' | tojson }}{{ {1: 2, none: 3, true: 4, 1.5: 5} | tojson }}{{ [1, 2] | tojson(indent=4) }}
---
{{ missing | tojson }}
---
{{ {'a': 1} | items | list }}{% for k, v in {'a': 1} | items %}{{ k }}{{ v }}{% endfor %}{{ missing | items | list }}
---
{{ 1 is number }}{{ 'a' is string }}{{ [] is sequence }}{{ {} is sequence }}{{ 'a' is sequence }}{{ 1 is sequence }}{{ {} is mapping }}{{ [] is mapping }}{{ [] is iterable }}{{ 1 is iterable }}{{ none is none }}{{ true is boolean }}{{ 1 is boolean }}{{ 1 is integer }}{{ true is integer }}{{ 1.0 is float }}{{ 1 is float }}{{ true is true }}{{ 1 is true }}{{ false is false }}{{ 2 is even }}{{ 3 is odd }}{{ 9 is divisibleby 3 }}{{ 9 is divisibleby(2) }}{{ 1 is eq 1 }}{{ 1 is equalto(2) }}{{ 1 is ne 2 }}{{ 2 is gt 1 }}{{ 2 is le 1 }}{{ 1 is in [1] }}{{ 'ab' is lower }}{{ 'ab' is upper }}{{ 1 is not number }}{{ range is callable }}{{ 1 is sameas 1 }}{{ missing is sequence }}{{ true is number }}
---
{{ 1 is not none and 2 is defined or false }}{{ 'x' if 1 is number else 'y' }}{{ 1 is number and 'a' }}
---
{{ missing is callable }}{{ [none, none] | sort }}
---
{{ range(3) | list }}{{ range(1, 4) | list }}{{ range(5, 0, -2) | list }}{% for i in range(2) %}{{ i }}{% endfor %}{{ range(3)[1] }}{{ range(3) | length }}
---
{{ range(200000) | length }}
---
{{ dict(a=1, b='c') }}{{ dict({'x': 1}, y=2) }}{{ dict([('p', 'q')]) }}
---
{{ strftime_now('%Y-%m-%d') }} {{ strftime_now('%d %b %Y') }} {{ strftime_now('%B %d, %Y') }} {{ strftime_now('%A %a %H:%M:%S %p %j %y') }} {{ strftime_now('%-d/%-m %%') }}
---
{% if messages[0].role != 'system' %}{{ raise_exception('A system is needed, not ' ~ messages[0].role) }}{% endif %}{{ messages[0].content }}
---
{{ bos_token }}{{ eos_token }}{{ unk_token }}{{ pad_token }}{{ add_generation_prompt }}
---
{{ 'x' | safe }}{{ 1 | string | safe }}
---
{% for m in messages %}{% if (m['role'] == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('turns') }}{% endif %}{{ m['content'] }}{% endfor %}
---
{%- macro render(content) -%}{%- if content is string -%}{{- content -}}{%- elif content is iterable -%}{%- for c in content -%}{{- c.text -}}{%- endfor -%}{%- else -%}{{- content | string -}}{%- endif -%}{%- endmacro -%}{% for m in messages %}{{ render(m.content) | trim }};{% endfor %}
---
{{ messages | map(attribute='content') | map('trim') | map('length') | list }}
---
{% set s = 'a<think>b</think>c' %}{{ s.split('</think>')[-1].lstrip('\n') }}{{ s.split('</think>')[0].rstrip('\n').split('<think>')[-1] }}
---
{% set l = [] %}{% for m in messages %}{% set l = l + [m.role] %}{% endfor %}{{ l }}
---
{% if not (a is defined and a) %}x{% endif %}{% if tools is defined and tools is not none %}y{% endif %}{% if tools %}z{% endif %}{{ tools or 'no tools' }}
---
{{ loop is defined }}{{ caller is defined }}
---
{{ 1 if 1 else }}
---
{% if %}{% endif %}
---
{% for x in [1] %}
---
{% endfor %}
---
{{ 1
---
{% if 1 %}{% endfor %}
---
{{ (1 }}
---
{{ 'abc }}
---
{% unknown %}
---
{# never ends
---
{{ 1 +  }}
---
{{ a b }}
---
{% set true = 1 %}
---
{{ [1, 2}} }}
---
{{ foo(a=1, *[2]) is defined }}
---
{% macro m(a, b) %}{{ a }}{{ b }}{% endmacro %}{{ m(*[1, 2]) }}{{ m(**{'a': 3, 'b': 4}) }}{{ m(1, *[2]) }}
---
{{ 9223372036854775807 }} {{ -9223372036854775807 }}
---
{{ 'é' | upper }}{{ 'ÀB' | lower }}{{ 'ñandú' | capitalize }}{{ 'éa'[::-1] }}
---
{{ "a" ~ 1 + 2 ~ "b" }}{{ 1 ~ 2 * 3 }}{{ -1 | abs }}{{ not 1 == 2 }}{{ 'a' 'b' | upper }}{{ (1, 2) | join('+') }}
---
{{ messages[0].content[:3] ~ messages[-1]['content'][-2:] }}{{ messages[0].role[0] | upper }}
---
{% set content = messages[0]['content'] %}{% set content = content | replace('twice', 'once') %}{{ content }}
---
{%set x=1%}{{x}}{%if x==1%}y{%endif%}
---
{% set x = 'a' -%}
   b
{% set y = 'c' %}
d
{{ x }}{{ y }}


"""


def fail(message):
    raise jinja2.exceptions.TemplateError(message)


class Generation(jinja2.ext.Extension):
    """{% generation %}: what an assistant says, marked for training."""
    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("put_out"), [], [], body).set_lineno(line)

    def put_out(self, caller):
        return caller()


def write_json(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators,
                      sort_keys=sort_keys)


def render(template, messages, begins_answer):
    environment = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[jinja2.ext.loopcontrols, Generation])
    environment.filters["tojson"] = write_json
    environment.globals["raise_exception"] = fail
    environment.globals["strftime_now"] = NOW.strftime
    try:
        text = environment.from_string(template).render(
            messages=messages, tools=None, documents=None, add_generation_prompt=begins_answer, **VARIABLES)
        # An address that Python puts out is refused here.
        return None if " at 0x" in text else text
    except (jinja2.exceptions.TemplateError, TypeError, ValueError, ArithmeticError, LookupError):
        return None


def write(path, templates, conversations):
    cases = [{"name": name, "template": text,
              "renders": [{"messages": messages, "begins_answer": begins,
                           "text": render(text, messages, begins)} for messages, begins in conversations]}
             for name, text in templates.items()]
    path.write_text(json.dumps(cases, indent=1, ensure_ascii=False) + "\n")


OWN = {text.split("\n")[0][:60]: text for text in CASES.strip("\n").split("\n---\n")}
write(pathlib.Path(__file__).parent / "jinja.json", OWN, CONVERSATIONS[2:3])
if len(sys.argv) > 1:
    write(pathlib.Path(sys.argv[2]),
          {path.name: path.read_text() for path in sorted(pathlib.Path(sys.argv[1]).glob("*.jinja"))},
          CONVERSATIONS)
