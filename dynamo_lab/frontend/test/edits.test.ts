import { EditorState } from "@codemirror/state";
import { describe, expect, it } from "vitest";
import type { Ask } from "../src/core/source";
import type { Diagnostic, EditView } from "../src/core/types.generated";
import { messages } from "../src/kernels/edit-text";
import { Edits, howOf, outcomeOf } from "../src/kernels/edits";

const answer = (given: Partial<EditView> = {}): EditView => ({
  kernel: 0, name: "k", verdict: "right", sentence: "", before: "a", after: "b", edits: [], diagnostics: [], worst: "", compared: "", timings: [], ...given,
});

const told = (line: number | null, severity: Diagnostic["severity"] = "error"): Diagnostic => ({ severity, message: "no", line, column: null });

describe("Edits", () => {
  it("keeps what was written, for each kernel of each recording", () => {
    const edits = new Edits();
    edits.of("as recorded", 0, "a").text.value = "mine";
    expect(edits.of("as recorded", 0, "a").text.value).toBe("mine");
    expect(edits.of("as recorded", 1, "a").text.value).toBe("a");
    expect(edits.of("cuda:sm_90", 0, "a").text.value).toBe("a");
    expect(edits.of("as recorded", 0, "other code now").text.value).toBe("other code now");
  });

  it("loses no text where the kernel gives no answer, and goes back to any attempt", async () => {
    const edit = new Edits().of("as recorded", 0, "a");
    const refuses: Ask = () => Promise.reject(new Error("It has gone."));
    const answers = (() => Promise.resolve(answer())) as Ask;
    edit.text.value = "first";
    await edit.run(refuses, "as recorded", 0);
    expect([edit.text.value, edit.shown.value?.error, edit.busy.value]).toEqual(["first", "It has gone.", false]);
    edit.text.value = "second";
    await edit.run(answers, "as recorded", 0);
    expect(edit.attempts.value.map(outcomeOf)).toEqual(["no answer", "right"]);
    edit.take(edit.attempts.value[0]);
    expect([edit.text.value, edit.replaced.value]).toEqual(["first", 1]);
    edit.reset();
    expect([edit.text.value, edit.shown.value]).toEqual(["a", null]);
  });

  it("asks once at a time, with the text as it stands", async () => {
    const asked: unknown[] = [];
    let finish: (found: EditView) => void = () => undefined;
    const ask = ((_: string, given: unknown) => {
      asked.push(given);
      return new Promise<EditView>((resolve) => (finish = resolve));
    }) as Ask;
    const edit = new Edits().of("as recorded", 3, "a");
    const first = edit.run(ask, "as recorded", 3);
    await edit.run(ask, "as recorded", 3);
    finish(answer());
    await first;
    expect(asked).toEqual([{ of: "as recorded", kernel: 3, code: "a" }]);
  });
});

describe("what Run does", () => {
  it("times what runs here, and not a Triton kernel that was lowered for a GPU", () => {
    expect(howOf({ language: "cpp" }, false)).toContain("timed in turns");
    expect(howOf({ language: "triton" }, false)).toContain("timed in turns");
    expect(howOf({ language: "cpp" }, true)).toContain("timed in turns");
    expect(howOf({ language: "triton" }, true)).toContain("It is not timed.");
    expect(howOf({ language: "triton" }, true)).not.toContain("timed in turns");
  });
});

describe("messages", () => {
  it("stand below their lines; what has no line in the text, and notes, do not", () => {
    const { doc } = EditorState.create({ doc: "a\nb\nc" });
    const found = messages(doc, [told(3), told(2, "warning"), told(2), told(null), told(9), told(1, "note")]);
    const at: number[] = [];
    found.between(0, doc.length, (from) => void at.push(doc.lineAt(from).number));
    expect(at).toEqual([2, 2, 2, 3, 3]); // a line and each of its messages
  });
});

describe("outcomeOf", () => {
  it("tells the gain only where there is one", () => {
    const timing = { what: "", original: "", edited: "", ratio: "2.1 times faster", tone: "good" } as const;
    expect(outcomeOf({ text: "", answer: answer({ timings: [timing] }) })).toBe("2.1 times faster");
    expect(outcomeOf({ text: "", answer: answer({ timings: [{ ...timing, tone: "" }] }) })).toBe("right");
  });
});
