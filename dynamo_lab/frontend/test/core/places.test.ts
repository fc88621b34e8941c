// Which lines a sentence names, and which of its words only look as if they did.
import { expect, it } from "vitest";
import { Mentions } from "../../src/core/places";
import { source } from "../sample";

const sources = [source(0, ["a"], "user", "train.py"), source(4, ["b"], "cell", "cell 3"), source(7, ["c"], "library", "torch/nn/functional.py"), source(8, ["d"], "user", "old/model.py"), source(9, ["e"], "user", "new/model.py")]
  .map((one, i) => ({ ...one, label: ["train.py", "cell 3", "torch/nn/functional.py", "old/model.py", "new/model.py"][i] }));
const linked = (text: string, main = 0): string[][] => new Mentions(sources, main, []).pieces(text).filter(([, entity]) => entity).map((piece) => [...piece]);

it("finds the lines of the main source, of others by their names, and of libraries", () => {
  expect(linked("It broke twice, at line 2 (print) and line 14.")).toEqual([["line 2", "line:0:2"], ["line 14", "line:0:14"]]);
  expect(linked("Line 3 breaks")).toEqual([["Line 3", "line:0:3"]]);
  expect(linked("lines 3-5 are eager")).toEqual([["lines 3-5", "line:0:3"]]);
  expect(linked("Asked for in cell 3, line 4, and line 5.")).toEqual([["cell 3, line 4", "line:4:4"], ["line 5", "line:0:5"]]);
  expect(linked("old/model.py, line 7 calls nn/functional.py:2109")).toEqual([["old/model.py, line 7", "line:8:7"], ["nn/functional.py:2109", "line:7:2109"]]);
  expect(linked("Then, line 8 runs")).toEqual([["line 8", "line:0:8"]]);
});

it("leaves alone what is a line of something else, or of a file that two have the name of", () => {
  for (const text of ["line 12 of its wrapper", "f (line 3) and f (line 9)", "model.py, line 3", "lost.py, line 3", "cell 9, line 3", "lost.py:3", 'File "/x/lost.py", line 7', "(<string>, line 1)", "outline 3", "a line", "line 3.5"]) expect(linked(text), text).toEqual([]);
  expect(linked("line 3", 2), "a library is nobody's main source").toEqual([]);
});

it("keeps every character of the text", () => {
  const text = "At line 2, in train.py, line 3: model.py, line 3 (line 4); functional.py:5.";
  expect(new Mentions(sources, 0, []).pieces(text).map(([piece]) => piece).join("")).toBe(text);
});

it("knows a kernel by its name, unless several have it", () => {
  const mentions = new Mentions(sources, 0, [{ id: 0, name: "cpp_fused_0" }, { id: 3, name: "cpp_fused_1" }, { id: 4, name: "cpp_fused_1" }]);
  expect(["cpp_fused_0", "cpp_fused_1", "relu"].map((name) => mentions.kernel(name))).toEqual(["kernel:0", "", ""]);
});
