"""The live view's colours, for HTML that may lose its style sheet and never has a script.

Each comes twice: inline and of medium lightness, for hosts that strip `<style>`; and as a class
with the live view's two schemes, where it survives. `light-dark()` follows the page's
`color-scheme`; a browser that does not know it keeps the inline colour.
"""

_MEDIUM = {
    "good": "#5bad86",
    "warning": "#c98729",
    "bad": "#c03c43",
    "r0": "#4266c2",
    "r1": "#59a462",
    "r2": "#b7578b",
    "r3": "#63bdae",
    "r4": "#97a33d",
    "r5": "#6866c3",
    "r6": "#6b97c7",
    "r7": "#906a4f",
}
SCHEMES = {
    "good": ("#25754c", "#92e5c1"),
    "warning": ("#9c5a04", "#f7b54f"),
    "bad": ("#8a091b", "#f7706c"),
    "r0": ("#435dc7", "#416fbe"),
    "r1": ("#1f8030", "#94c894"),
    "r2": ("#933977", "#db75a0"),
    "r3": ("#3aa28f", "#8cd9cd"),
    "r4": ("#818c21", "#adbb5a"),
    "r5": ("#464191", "#8b8cf5"),
    "r6": ("#708fb5", "#67a0d9"),
    "r7": ("#7c4b4a", "#a58955"),
}
"""Light and dark, as in the front-end's colours.css."""

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
            for name, (light, dark) in SCHEMES.items()
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
