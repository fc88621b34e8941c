import { describe, expect, it } from "vitest";
import { bytesText } from "../../src/core/words";
import { oneLine, visible } from "../../src/graphs/diagram/visible";
import { callLines } from "../../src/kernels/calls";
import { blocks } from "../../src/ui/blocks";
import { around, pageAt } from "../../src/ui/paging";
import { cases } from "../cases";

describe("blocks", () => {
  it("tells indented paragraphs from prose", () => {
    expect(blocks("One.\nTwo.\n\n    gt = gt(sum_1, 0)\n      if gt:\n\nThree.")).toEqual([
      { kind: "prose", text: "One.\nTwo." }, { kind: "code", text: "gt = gt(sum_1, 0)\n  if gt:" }, { kind: "prose", text: "Three." },
    ]);
  });

  it("takes a paragraph that is indented in part for prose, and nothing for nothing", () => {
    expect(blocks("Such as:\n    this").map((block) => block.kind)).toEqual(["prose"]);
    expect(blocks("")).toEqual([]);
  });
});

describe("callLines", () => {
  const code = [
    "import extern_kernels", "cpp_fused_0 = async_compile.cpp_pybinding(['x'], r'''", "''')", "    # extern_kernels.mm(a)",
    "    extern_kernels.mm(a, b)", "    extern_kernels.mm_out(a)", "    cpp_fused_0(buf)", "    my_cpp_fused_0(buf)", "    triton_0.run(buf)",
  ].join("\n");

  it("finds calls, and not definitions, comments or longer names", () => {
    expect(callLines(code, "extern_kernels.mm")).toEqual([5]);
    expect(callLines(code, "cpp_fused_0")).toEqual([7]);
    const cpp = 'extern "C"  void  cpp_fused_0(float* a);\nstatic inline void call_triton_0(\n    def triton_0(a):\n    cpp_fused_0((float*)(b));\n    call_triton_0(b, stream);';
    expect(callLines(cpp, "cpp_fused_0")).toEqual([4]);
    expect(callLines(cpp, "triton_0")).toEqual([5]);
    expect(callLines(code, "triton_0")).toEqual([9]);
    expect(callLines(code, "")).toEqual([]);
  });

  it("takes a name for its letters", () => {
    expect(callLines("f(x)\nf.a(x)", "f.a")).toEqual([2]);
    expect(callLines("((", "(")).toEqual([1]);
  });
});

describe("around", () => {
  it("is all of few, and of thousands those near what is shown, also at the ends and where nothing is", () => {
    expect(around(200, 150)).toEqual({ first: 0, end: 200 });
    expect(around(6000, 3000)).toEqual({ first: 2900, end: 3100 });
    expect(around(6000, 5999)).toEqual({ first: 5800, end: 6000 });
    expect(around(6000, -1)).toEqual({ first: 0, end: 200 });
  });
});

describe("pageAt", () => {
  it("is the page around a place, and the last one where the list has become shorter", () => {
    expect(pageAt(2340, 120)).toEqual({ first: 100, end: 150 });
    expect(pageAt(2340, 99999)).toEqual({ first: 2300, end: 2340 });
    expect(pageAt(10, 120)).toEqual({ first: 0, end: 10 });
    expect(pageAt(0, 0)).toEqual({ first: 0, end: 0 });
    expect(pageAt(100, -50)).toEqual({ first: 0, end: 50 });
  });
});

interface Texts {
  readonly sizes: readonly (readonly [number, string])[];
  readonly visible: readonly (readonly [string, string])[];
  readonly one_line: readonly (readonly [string, string])[];
}

describe("texts are written as Python writes them", () => {
  const table = cases<Texts>("texts");

  it.each(table.sizes)("%i bytes are %j", (count, text) => expect(bytesText(count)).toBe(text));
  it.each(table.visible)("%j is shown as %j", (text, shown) => expect(visible(text)).toBe(shown));
  it.each(table.one_line)("%j is %j in one line", (text, shown) => expect(oneLine(text)).toBe(shown));
});
