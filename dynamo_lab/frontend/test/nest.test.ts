import { describe, expect, it } from "vitest";
// @ts-expect-error: a script of the build, without types
import { nest } from "../scripts/nest.mjs";

describe("nest", () => {
  it("writes the scope once for rules that follow each other, in their order", () => {
    expect(nest(".dynamo-lab .a{x:1}.dynamo-lab .b,.dynamo-lab .c:is(d,e){y:2}")).toBe(".dynamo-lab{.a{x:1}.b,.c:is(d,e){y:2}}");
    expect(nest(".dynamo-lab .a{x:1}.dynamo-lab[z] .b{y:2}.dynamo-lab .c{z:3}")).toBe(".dynamo-lab{.a{x:1}}.dynamo-lab[z] .b{y:2}.dynamo-lab{.c{z:3}}");
  });

  it("leaves what is not wholly below the scope, and what only looks like a rule", () => {
    expect(nest(".dynamo-lab .a,.other{x:1}")).toBe(".dynamo-lab .a,.other{x:1}");
    expect(nest('.dynamo-lab .a:after{content:"}\\"{"}.dynamo-lab button{x:1}')).toBe('.dynamo-lab{.a:after{content:"}\\"{"}& button{x:1}}');
    expect(nest("@keyframes k{0%{x:1}to{x:2}}")).toBe("@keyframes k{0%{x:1}to{x:2}}");
  });

  it("works within at-rules, and keeps what is nested already", () => {
    expect(nest("@container c (min-width: 1px){.dynamo-lab .a{x:1}.dynamo-lab .b{x:2}}")).toBe("@container c (min-width: 1px){.dynamo-lab{.a{x:1}.b{x:2}}}");
    expect(nest(".dynamo-lab{.a{x:1}}")).toBe(".dynamo-lab{.a{x:1}}");
  });
});
