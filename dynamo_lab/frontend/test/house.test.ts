import { describe, expect, it } from "vitest";
// @ts-expect-error: a script of the build, without types
import { circles, climbing, complaints, crowded, long, MOST_FILES, MOST_LINES } from "../scripts/house.mjs";

const files = (all: Readonly<Record<string, string>>): ReadonlyMap<string, string> => new Map(Object.entries(all));

describe("the house", () => {
  it("has no circle of imports, those of types counted", () => {
    const found = circles(files({
      "src/a.ts": 'import { b } from "./b/b";', "src/b/b.tsx": 'import type { C } from "../c";', "src/c.ts": 'const a = await import("./a");',
      "src/d.ts": 'import "./a";\nexport { b } from "./b/b";', "src/e.ts": 'import { e } from "preact";',
    }));
    expect(found).toEqual([["src/a.ts", "src/b/b.tsx", "src/c.ts"]]);
  });

  it("is built on core, which knows nothing of what stands on it", () => {
    const found = climbing(files({
      "src/core/a.ts": 'import "../steps/b";', "src/steps/b.ts": 'import "../core/c"; import "../hosts/d";', "src/core/c.ts": "", "src/hosts/d.ts": 'import "../steps/b";',
    }));
    expect(found).toEqual([["src/core/a.ts", "src/steps/b.ts"], ["src/steps/b.ts", "src/hosts/d.ts"]]);
  });

  it("has folders and files that can be overlooked, those that a script writes excepted", () => {
    const many = Object.fromEntries(Array.from({ length: MOST_FILES + 1 }, (_, i) => [`src/x/${i}.ts`, ""]));
    expect(crowded(files(many))).toEqual([["src/x", MOST_FILES + 1]]);
    const text = "\n".repeat(MOST_LINES + 1);
    expect(long(files({ "src/x.ts": text, "src/x.generated.ts": text, "src/y.css": text.slice(1) }))).toEqual([["src/x.ts", MOST_LINES + 1]]);
  });

  it("says what does not hold", () => {
    expect(complaints(files({ "src/a.ts": 'import "./b";', "src/b.ts": 'import "./a";' }))).toEqual(["These import each other: src/a.ts -> src/b.ts -> src/a.ts."]);
  });
});
