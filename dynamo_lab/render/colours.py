"""The live view's colours, for HTML that may lose its style sheet and never has a script.

Each comes twice: inline and of medium lightness, for hosts that strip `<style>`; and as a class
with the live view's two schemes, where it survives. `light-dark()` follows the page's
`color-scheme`; a browser that does not know it keeps the inline colour.
"""

_MEDIUM = {
    "good": "#2e9e5b",
    "warning": "#c08a00",
    "bad": "#d9534f",
    "r0": "#5a90c8",
    "r1": "#3fa45b",
    "r2": "#c2559a",
    "r3": "#2a9d8f",
    "r4": "#a8962f",
    "r5": "#7b6fd6",
    "r6": "#5fa8d0",
    "r7": "#b07c62",
}
_SCHEMES = {
    "good": ("#1b6e3c", "#7fd19b"),
    "warning": ("#9a4a00", "#f2ad66"),
    "bad": ("#b3261e", "#f69a92"),
    "r0": ("#4477aa", "#6fa3d8"),
    "r1": ("#228833", "#5dbb6b"),
    "r2": ("#aa3377", "#d674a8"),
    "r3": ("#2a9d8f", "#4fc3b4"),
    "r4": ("#8d7b1f", "#c9b44f"),
    "r5": ("#5b4bb7", "#9d8ff0"),
    "r6": ("#4a90b8", "#76bde0"),
    "r7": ("#8a5a44", "#c99479"),
}
_REGIONS = 8

# JupyterLab and nbconvert, VS Code, Colab: each says on the page itself which scheme it has.
_HOSTS = {
    "light": '[data-jp-theme-light="true"] *,.vscode-light *,[theme="light"] *',
    "dark": '[data-jp-theme-light="false"] *,.vscode-dark *,[theme="dark"] *',
}
STYLE = "".join(
    [
        *(f".dynamo-lab-static:is({at}){{color-scheme:{name}}}\n" for name, at in _HOSTS.items()),
        *(
            f".dynamo-lab-static .dl-{name}{{color:light-dark({light},{dark})!important}}\n"
            for name, (light, dark) in _SCHEMES.items()
        ),
    ]
)
"""The rules for the classes that `coloured` gives; all of them are about `.dynamo-lab-static`."""


def coloured(name: str) -> dict[str, str]:
    """The attributes of an element in this colour: good, warning, bad, or none for others."""
    if name not in _MEDIUM:
        return {}
    return {"class_": f"dl-{name}", "style": f"color:{_MEDIUM[name]}"}


def region(number: int | None) -> dict[str, str]:
    """The attributes of an element in the colour of the captured graph of this number, from 1."""
    return {} if number is None else coloured(f"r{(number - 1) % _REGIONS}")
