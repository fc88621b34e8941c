// The tables of cases that Python's tests read too, and write: tests/cases/test_cases.py.
import { readFileSync } from "node:fs";

/** The table of a noun. */
export const cases = <Table>(noun: string): Table => JSON.parse(readFileSync(new URL(`../../../tests/cases/${noun}.json`, import.meta.url), "utf8")) as Table;
