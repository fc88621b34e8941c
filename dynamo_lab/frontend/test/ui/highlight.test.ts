import { describe, expect, it } from "vitest";
import { hasGaps, highlightPieces, opening, pieces } from "../../src/ui/highlight";

describe("pieces", () => {
  it("cuts where numbers jump and keeps places in the document", () => {
    const lines = [3, 4, 9];
    expect(hasGaps(lines)).toBe(true);
    expect(pieces(lines, ["ab", "c", "d"])).toEqual([{ from: 0, text: "ab\nc" }, { from: 5, text: "d" }]);
  });
});

describe("opening", () => {
  it("sees that a piece begins inside a docstring", () => {
    expect(opening('    Args: what it takes.\n    """\n    return x + 1\n')).toBe('"""');
  });

  it("leaves code alone, also with a docstring that the piece cuts off", () => {
    expect(opening("return x + 1")).toBe("");
    expect(opening('def f(x):\n    """What it does')).toBe("");
  });
});

describe("highlightPieces", () => {
  it("colours the code after a docstring's end as code", () => {
    const text = ['of it."""', "return 1"];
    const found = highlightPieces([7, 8], text).map((range) => [text.join("\n").slice(range.from, range.to), range.value.spec.class]);
    expect(found).toContainEqual(["return", "tok-keyword"]);
  });

  it("makes elements of what has a colour alone", () => {
    const text = ["return self.act(x) + 1  # twice"];
    const found = highlightPieces([1], text).map((range) => [text[0].slice(range.from, range.to), range.value.spec.class]);
    expect(found).toEqual([["return", "tok-keyword"], ["1", "tok-number"], ["# twice", "tok-comment"]]);
  });
});
