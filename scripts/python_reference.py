#!/usr/bin/env python3
"""The site's pages of the Python package, from its docstrings: those of its modules, and what Rust documents of what is made there.

    scripts/python_reference.py [DIR]     writes the pages to DIR; without it, only says what public name is documented nowhere

Nothing is imported, so that the package need not be built. scripts/site has them on the site.
"""

import ast
import html
import pathlib
import re
import sys
import tempfile
import textwrap

PACKAGE = pathlib.Path(__file__).resolve().parent.parent / "crates/manyhash-python"
SOURCES = PACKAGE / "python/manyhash"
# Modules, with the files that their public names are from, in the order of the site.
MODULES = {
    "manyhash": ["__init__.py", "_progress.py"],
    "manyhash.arrow": ["arrow.py"],
    "manyhash.tree": ["tree.py"],
    "manyhash.pandas": ["pandas.py"],
    "manyhash.polars": ["polars.py"],
    "manyhash.duckdb": ["duckdb.py"],
    "manyhash.datafusion": ["datafusion.py"],
    "manyhash.spark": ["spark/__init__.py", "spark/functions.py", "spark/files.py"],
}
PARAMETER = re.compile(r"^([a-z_]+(?:, [a-z_]+)*): (.*)$")


def rust_documented():
    """Returns what the Rust sources say of functions and classes, and of methods as "Class.method", with signatures where they have them."""
    found = {}
    for path in sorted((PACKAGE / "src").glob("*.rs")):
        docs, attributes, of = [], "", ""
        for line in path.read_text().splitlines():
            text = line.strip()
            if text.startswith("///"):
                docs.append(text[3:].removeprefix(" "))
            elif text.startswith("#[") or (attributes and not attributes.rstrip().endswith("]")):
                attributes += text
            elif (item := re.match(r"(?:pub )?(?:fn|struct) (\w+)", text)) and attributes:
                is_method = line.startswith("    ")
                if docs and (is_method and of or "#[pyfunction]" in attributes or "#[pyclass" in attributes):
                    signature = re.search(r'text_signature = "(\(.*?\))"', attributes) or re.search(r"signature = (\(.*?\))\)\]", attributes)
                    found[f"{of}.{item[1]}" if is_method else item[1]] = ("\n".join(docs), signature and signature[1])
                docs, attributes = [], ""
            else:
                if methods := re.match(r"impl (\w+) \{", text):
                    of = methods[1] if "#[pymethods]" in attributes else ""
                if not (is_method := line.startswith("    ")) or "fn " in text or not text:
                    # A method without attributes is documented as well.
                    if is_method and docs and of and (method := re.match(r"(?:pub )?fn (\w+)", text)):
                        found[f"{of}.{method[1]}"] = ("\n".join(docs), None)
                    docs, attributes = [], ""
    return found


def shown(docstring):
    """Returns a docstring as Markdown: its paragraphs, examples, and parameters as a list."""
    page, block = [], []
    for line in [*textwrap.dedent(docstring).strip().splitlines(), ""]:
        if line.strip():
            block.append(line)
            continue
        if not block:
            continue
        if block[0].startswith((">>> ", "    ")):
            page.append("```python\n" + textwrap.dedent("\n".join(block)) + "\n```")
        elif PARAMETER.match(block[0]):
            items = []
            for text in block:
                if (parameter := PARAMETER.match(text)) and not text.startswith(" "):
                    items.append(f"- **{parameter[1]}**: {escaped(parameter[2])}")
                else:
                    items.append("    " + escaped(text.strip()))
            page.append("\n".join(items))
        else:
            page.append("\n".join(map(escaped, block)))
        block = []
    return "\n\n".join(page)


def escaped(text):
    """Returns text in which nothing is Markdown but code."""
    return "`".join(part if index % 2 else re.sub(r"([\\*_\[\]])", r"\\\1", html.escape(part, quote=False)) for index, part in enumerate(text.split("`")))


def signature_of(function, name):
    """Returns the call of a function, without what Python takes first for methods."""
    arguments = ast.unparse(function.args).removeprefix("self, ").removeprefix("self")
    returns = f" -> {ast.unparse(function.returns)}" if function.returns else ""
    call = f"{name}({arguments}){returns}"
    if len(call) <= 90:
        return call
    # An argument a line, as far as commas are outside of brackets.
    parts, depth, start = [], 0, 0
    for place, character in enumerate(arguments):
        depth += (character in "([{") - (character in ")]}")
        if character == "," and not depth:
            parts.append(arguments[start:place].strip())
            start = place + 1
    lines = "".join(f"    {part},\n" for part in [*parts, arguments[start:].strip()])
    return f"{name}(\n{lines}){returns}"


def functions_of(body):
    """Returns the functions of a module or class by name. Of overloads, which differ in types alone, it is the last."""
    return {node.name: node for node in body if isinstance(node, ast.FunctionDef)}


def public_names(tree):
    """Returns the names that __all__ has, as far as they are written there."""
    names = []
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AugAssign) else []
        if any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets) and isinstance(node.value, ast.List):
            names += [item.value for item in node.value.elts if isinstance(item, ast.Constant)]
    return names


def class_section(name, node, stub, rust):
    """Returns what a class has: what it is, its attributes and methods."""
    docstring = ast.get_docstring(node) if node else None
    page = [shown(docstring or rust[name][0])]
    body = node.body if node else []
    for field, after in zip(body, body[1:]):
        is_documented = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
        if isinstance(field, ast.AnnAssign) and is_documented:
            page.append(f"- **{field.target.id}**: `{ast.unparse(field.annotation)}`. {escaped(' '.join(after.value.value.split()))}")
    declared = functions_of(stub.body) if stub else functions_of(body)
    for method, function in declared.items():
        docs = ast.get_docstring(function) or rust.get(f"{name}.{method}", (None,))[0]
        if method.startswith("_") or not docs:
            continue
        # As a list, with what the attributes of a plain class have.
        is_property = any(isinstance(decorator, ast.Name) and decorator.id == "property" for decorator in function.decorator_list)
        if is_property:
            page.append(f"- **{method}**: `{ast.unparse(function.returns)}`. {escaped(' '.join(docs.split()))}")
            continue
        call = signature_of(function, method)
        page.append(f"### {name}.{method}\n\n```python\n{call}\n```\n\n{shown(docs)}")
    return "\n\n".join(page)


def module_page(module, files, rust, stub):
    """Returns the page of a module."""
    trees = [ast.parse((SOURCES / file).read_text()) for file in files]
    first = trees[0]
    names = public_names(first)
    if module == "manyhash.spark":
        names += ["IncompleteTable", "check", "dups", "manifest", "read_table", "write"]
    defined = {node.name: node for tree in reversed(trees) for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    # Overloads come before what they stand for.
    defined |= {name: node for tree in reversed(trees) for name, node in functions_of(tree.body).items()}
    declared = functions_of(stub.body)
    classes = {node.name: node for node in stub.body if isinstance(node, ast.ClassDef)}
    assigned = {}
    for tree in trees:
        for node, after in zip(tree.body, tree.body[1:]):
            targets = [node.target] if isinstance(node, ast.AnnAssign) else node.targets if isinstance(node, ast.Assign) else []
            if targets and isinstance(targets[0], ast.Name) and isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
                assigned[targets[0].id] = (ast.unparse(node.value), after.value.value)
    page = [f"# {module}", shown(ast.get_docstring(first))]
    for name in dict.fromkeys(names):
        node = defined.get(name)
        if name in ("__version__", "algorithms", "AlgorithmName", "tree"):
            continue
        if isinstance(node, ast.FunctionDef):
            text = f"```python\n{signature_of(node, f'{module}.{name}')}\n```\n\n{shown(ast.get_docstring(node))}"
        elif isinstance(node, ast.ClassDef) or name in classes:
            text = class_section(name, node, classes.get(name), rust)
        elif name in rust:
            docs, signature = rust[name]
            call = f"{module}.{name}{signature}" if signature else signature_of(declared[name], f"{module}.{name}")
            text = f"```python\n{textwrap.fill(call, 90, subsequent_indent='    ', break_long_words=False)}\n```\n\n{shown(docs)}"
        elif name in assigned:
            value, docs = assigned[name]
            text = f"```python\n{name} = {value}\n```\n\n{shown(docs)}"
        elif name in declared:
            text = f"```python\n{signature_of(declared[name], f'{module}.{name}')}\n```"
        else:
            raise SystemExit(f"{module}.{name} is public, and documented nowhere")
        page.append(f"## {name}\n\n{text}")
    if module == "manyhash":
        constructors = "a name of `manyhash.algorithms`, such as `manyhash.sha256(data=b\"\")`: an object like hashlib's, a `Hash`"
        page.append(f"## The constructors\n\nThere is a function for each of them, {constructors}; `blake2b`, `blake2s` and `blake3` have the parameters of hashlib's.")
    return "\n\n".join(page) + "\n"


def write_pages(folder):
    """Writes a page for each module to a folder, and returns their names."""
    rust, stub = rust_documented(), ast.parse((SOURCES / "_manyhash.pyi").read_text())
    folder.mkdir(parents=True, exist_ok=True)
    for module, files in MODULES.items():
        (folder / f"{module}.md").write_text(module_page(module, files, rust, stub))
    return [f"{module}.md" for module in MODULES]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as nowhere:
        write_pages(pathlib.Path(sys.argv[1] if sys.argv[1:] else nowhere))
