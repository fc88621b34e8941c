import { describe, expect, it } from "vitest";
import { isDrawn, nextOf, scrollToMiddle, scrollToShow, visibleRange } from "../../src/ui/virtual";

describe("visibleRange", () => {
  it("draws what is in sight and a little more", () => {
    expect(visibleRange(5000, 20, 2000, 400)).toEqual({ first: 94, end: 126 });
  });

  it("stays inside the list at both ends and in short lists", () => {
    expect(visibleRange(5000, 20, 0, 400)).toEqual({ first: 0, end: 26 });
    expect(visibleRange(5000, 20, 99_600, 400)).toEqual({ first: 4974, end: 5000 });
    expect(visibleRange(3, 20, 0, 400)).toEqual({ first: 0, end: 3 });
    expect(visibleRange(0, 20, 0, 400)).toEqual({ first: 0, end: 0 });
    expect(visibleRange(10, 20, 9_999, 400)).toEqual({ first: 10, end: 10 });
  });
});

describe("scrollToShow", () => {
  it("does not move for a row in sight", () => {
    expect(scrollToShow(5, 20, 0, 400)).toBe(0);
  });

  it("moves least for a near row and centres a far one", () => {
    expect(scrollToShow(20, 20, 0, 400)).toBe(20);
    expect(scrollToShow(9, 20, 200, 400)).toBe(180);
    expect(scrollToShow(1000, 20, 0, 400)).toBe(20_000 - 190);
    expect(scrollToShow(0, 20, 9_000, 400)).toBe(0);
  });
});

describe("nextOf", () => {
  it("goes round both ends", () => {
    expect(nextOf([2, 5, 9], 5, 1)).toBe(9);
    expect(nextOf([2, 5, 9], 9, 1)).toBe(2);
    expect(nextOf([2, 5, 9], 2, -1)).toBe(9);
    expect(nextOf([], 0, 1)).toBe(-1);
  });
});

describe("scrollToMiddle", () => {
  it("leaves as much above as below, and nothing above the first row", () => {
    expect(scrollToMiddle(100, 20, 220)).toBe(1900);
    expect(scrollToMiddle(2, 20, 220)).toBe(0);
  });
});

describe("isDrawn", () => {
  const drawn = visibleRange(5000, 20, 0, 600);

  it("holds for a list that is a little higher than the usual one", () => {
    expect(isDrawn(drawn, 5000, 20, 0, 700)).toBe(true);
  });

  it("does not for one that shows rows beyond, or that was scrolled", () => {
    expect(isDrawn(drawn, 5000, 20, 0, 900)).toBe(false);
    expect(isDrawn(drawn, 5000, 20, 2000, 400)).toBe(false);
    expect(isDrawn(visibleRange(5000, 20, 2000, 400), 5000, 20, 0, 400)).toBe(false);
  });

  it("asks for no more rows than there are", () => {
    expect(isDrawn(visibleRange(3, 20, 0, 600), 3, 20, 0, 9000)).toBe(true);
  });
});
