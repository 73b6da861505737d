#!/usr/bin/env python3
"""Translates a set of kernels to Metal's language.

usage: msl.py LIST.hpp OUTPUT.metal DEPFILE -- PREPROCESSOR...

The preprocessor (a C++ compiler and its include paths) joins headers and removes code for other devices. Then,
token by token:
  * pointers and references are by default to the thread's own memory: `thread`
  * constants at namespace and class scope: `constant`
  * long long is long; names reserved by Metal get an underscore
Finally it adds an entry point per kernel, and another one that returns its sizes.

What the dialect (docs/development/gpu.md) lacks is refused here even if compilers for other devices accept it.
"""
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent

# Reserved words of Metal that C++ programs may use as names.
RESERVED = {'constant', 'device', 'fragment', 'half', 'kernel', 'mesh', 'object', 'object_data', 'ray_data', 'thread',
            'threadgroup', 'threadgroup_imageblock', 'vertex', 'visible', 'intersection', 'uchar', 'ushort', 'uint', 'ulong',
            'bfloat', 'sampler'}
REFUSED = {'double': 'f64 is C::f64', 'virtual': None, 'goto': None, 'new': None, 'delete': None, 'throw': None, 'try': None,
           'noexcept': None, 'dynamic_cast': None, 'typeid': None, 'thread_local': None, 'std': 'no standard library',
           'concept': None, 'requires': None, 'consteval': None, 'constinit': None}
TOKEN = re.compile(r'(?P<space>\s+)|(?P<string>"(?:[^"\\]|\\.)*")|(?P<name>[A-Za-z_]\w*)'
                   r'|(?P<number>\.?\d(?:[eEpP][+-]|[\w.\'])*)'
                   r'|(?P<sign>->\*?|::|\.\.\.|<<=|>>=|<<|[-+*/%&|^=!<>]=|&&|\|\||\+\+|--|.)', re.S)


class Refused(Exception):
    pass


class Token:
    def __init__(self, kind, text, space):
        self.kind, self.text, self.space = kind, text, space  # space: the whitespace before it

    def __repr__(self):
        return self.text


def tokens_of(text):
    out, space = [], ''
    for match in TOKEN.finditer(text):
        kind = match.lastgroup
        if kind == 'space':
            space += match.group()
            continue
        out.append(Token(kind, match.group(), space))
        space = ''
    return out


def text_of(tokens):
    return ''.join(t.space + t.text for t in tokens)


def refuse(tokens, i, why):
    raise Refused(f'{why}: {text_of(tokens[max(0, i - 8):i + 8]).strip()}')


def check(tokens):
    for i, t in enumerate(tokens):
        if t.kind == 'name' and t.text in REFUSED:
            if t.text == 'delete' and tokens[i - 1].text == '=':
                continue
            refuse(tokens, i, f'"{t.text}" is not in the dialect' + (f' ({REFUSED[t.text]})' if REFUSED[t.text] else ''))
        if t.kind == 'number' and not t.text.lower().startswith('0x') and re.search(r'[.eE]', t.text) and t.text[-1] not in 'fF':
            refuse(tokens, i, f'the constant {t.text} is a double')
        if t.text == '[' and tokens[i - 1].text in ('=', '(', ',', 'return') and tokens[i + 1].text in ('&', '=', ']'):
            refuse(tokens, i, 'lambda expressions are not in the dialect')
        if t.text in ('struct', 'class') and tokens[i - 1].text not in ('<', ',', 'enum'):  # not a template parameter
            j = i
            while tokens[j].text not in ('{', ';', '>', '(', ':'):
                j += 1
            if tokens[j].text == ':':
                refuse(tokens, j, 'derived classes are not in the dialect')


def scopes(tokens):
    """For each token the kind of scope that it stands in: 'namespace', 'type', or 'code'."""
    out, stack, begin = [], ['namespace'], 0
    for i, t in enumerate(tokens):
        out.append(stack[-1])
        if t.text == '{':
            head = [x.text for x in tokens[begin:i]]
            depth, words = 0, []
            for word in head:  # outside brackets of templates and parameters
                depth += word.count('<') + (word == '(') - word.count('>') - (word == ')')
                if depth == 0:
                    words.append(word)
            if stack[-1] != 'code' and 'namespace' in words:
                stack.append('namespace')
            elif any(w in words for w in ('struct', 'class', 'union')) and '=' not in words and ')' not in words:
                stack.append('type')
            else:
                stack.append('code')
            begin = i + 1
        elif t.text == '}':
            stack.pop()
            begin = i + 1
        elif t.text == ';' or (t.text == ':' and tokens[i - 1].text in ('public', 'private', 'protected')):
            begin = i + 1
    return out


def is_data(tokens, i):
    """Whether the declaration with the token i ("constexpr") is of data, not of a function."""
    depth = 0
    while True:
        i += 1
        word = tokens[i].text
        depth += word.count('<') - word.count('>') if word in ('<', '>', '>>') else 0
        if depth == 0 and word in ('=', '[', '{', ';'):
            return True
        if depth == 0 and word == '(':
            return False


def translate(text):
    tokens = tokens_of(text)
    check(tokens)
    where = scopes(tokens)
    out = []
    skip = set()
    for i, t in enumerate(tokens):
        before, after = tokens[i - 1] if i else Token('', '', ''), tokens[i + 1] if i + 1 < len(tokens) else Token('', '', '')
        if i in skip:
            continue
        if t.text == 'long' and after.text == 'long':
            skip.add(i + 1)
        elif t.kind == 'number':
            t.text = re.sub(r'(?i)(u?)ll$', r'\1l', t.text)
        elif t.kind == 'name' and t.text in RESERVED:
            t.text += '_'
        elif t.text in ('VMAF_MSL_DEVICE', 'VMAF_MSL_THREADGROUP'):
            t.text = t.text[len('VMAF_MSL_'):].lower()
        elif t.text in ('&', '*', '&&') and not (before.text == 'T' and tokens[i - 2].text in ('device', 'threadgroup')):
            name_before = (before.kind == 'name' and before.text not in ('return', 'else', 'case', 'sizeof')) or before.text == '>'
            if name_before and t.space and not after.space and after.kind == 'name':  # Type &name
                out.append(Token('name', 'thread', ' '))
            elif name_before and after.text in ('>', ',', ')', ';') and not t.space.strip():  # Type &, Type *
                if after.text != ',' or not after.space:
                    out.append(Token('name', 'thread', ' '))
            elif before.text == '(' and before.space and after.kind == 'name' and tokens[i + 2].text == ')' and \
                    tokens[i + 3].text == '[':  # Type (&name)[size]
                out.insert(len(out) - 1, Token('name', 'thread', ' '))
        elif t.text == 'constexpr' and is_data(tokens, i):
            if where[i] == 'namespace' or (where[i] == 'type' and before.text == 'static'):
                out.append(t)
                t = Token('name', 'constant', ' ')
            elif before.text == 'static':
                refuse(tokens, i, 'static data in a function is not in the dialect')
        elif t.text == 'static' and where[i] == 'code':
            refuse(tokens, i, 'static data in a function is not in the dialect')
        out.append(t)
    return text_of(out)


ENTRY = '''
[[max_total_threads_per_threadgroup(K::kThreads)]] kernel void vmaf_@name@(
    constant K::Args &arguments [[buffer(0)]], threadgroup K::SharedMemory *shared [[threadgroup(0)]],
    uint3 block [[threadgroup_position_in_grid]], uint index [[thread_index_in_threadgroup]]) {
    vmaf::kernels::MetalContext context = {int(index), int(block.x), int(block.y), int(block.z)};
    const K::Args args = vmaf::kernels::fetched(&arguments);
    K::run(context, shared, args);
}
kernel void vmaf_@name@_shape(device vmaf::kernels::KernelShape *shape [[buffer(0)]]) {
    vmaf::kernels::store_shape<K>(shape);
}
'''


def generate(kernel_list, preprocessor, depfile, output):
    source = f'''#include "device/metal/context.hpp"
#include "{kernel_list}"
#define VMAF_MSL_ENTRY(name) VMAF_MSL_KERNEL name
VMAF_KERNELS(VMAF_MSL_ENTRY)
'''
    result = subprocess.run([*preprocessor, '-E', '-P', '-x', 'c++', '-std=c++14', '-nostdinc', '-nostdinc++', '-undef',
                             '-D__METAL_VERSION__=320', '-MD', '-MF', depfile, '-MT', output, '-'],
                            input=source, capture_output=True, text=True)
    if result.returncode:
        raise Refused(result.stderr)
    text, *names = re.split(r'\bVMAF_MSL_KERNEL\s+', result.stdout)
    names = [name.strip() for name in names]
    # Pragmas appear inside functions: a placeholder word carries them through the translation.
    for pragma in re.findall(r'^#.*$', text, re.M):
        if pragma.split() != ['#pragma', 'unroll']:
            raise Refused(f'unknown directive: {pragma}')
    body = translate(re.sub(r'^#.*$', 'VMAF_MSL_PRAGMA', text, flags=re.M))
    body = re.sub(r'\s*\bVMAF_MSL_PRAGMA\b\s*', '\n#pragma unroll\n', body)
    entries = []
    for name in names:
        kernel = f'vmaf::kernels::{name}<vmaf::kernels::MetalContext>'
        entry = ENTRY.replace('@name@', name)
        entries.append(re.sub(r'\bK\b', kernel, entry))
    body = re.sub(r'\n\s*\n+', '\n', body)
    return (f'// Made by src/device/metal/msl/msl.py from {kernel_list}.\n' + (HERE / 'prelude.metal').read_text()
            + body + '\nusing namespace metal;\n' + ''.join(entries))


def main():
    split = sys.argv.index('--')
    kernel_list, output, depfile = sys.argv[1:split]
    try:
        text = generate(kernel_list, sys.argv[split + 1:], depfile, output)
    except Refused as refusal:
        sys.exit(f'msl.py: {kernel_list}: {refusal}')
    Path(output).write_text(text)
    with open(depfile, 'a') as deps:
        deps.write(f'{output}: {HERE / "prelude.metal"} {HERE / "msl.py"}\n')


if __name__ == '__main__':
    main()
