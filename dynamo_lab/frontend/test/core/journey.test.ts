// The way of each thing, and its address, are what Python answers.
import { expect, it } from "vitest";
import { buildModel, type Model } from "../../src/core/model";
import { Recordings } from "../../src/core/recordings";
import { createStore } from "../../src/core/store";
import type { View } from "../../src/core/types.generated";
import { addressOf, followAddressOnce, readAddress } from "../../src/journey/address";
import { journeyOf } from "../../src/journey/journey";
import { PARTS } from "../../src/parts";
import { cases } from "../cases";
import { small, view } from "../sample";

interface Case {
  readonly view: Partial<View>;
  readonly ways: Readonly<Record<string, readonly (string | readonly unknown[])[]>>;
  readonly addresses: Readonly<Record<string, string>>;
}

const CASES = Object.entries(cases<Record<string, Case>>("journey"));

const way = (model: Model, entity: string) => journeyOf(model, entity, model.kin.kin(model.kin.resolve(entity))).stations.map(({ stops, missing }) =>
  (stops.length > 0 ? stops.map((stop) => [stop.entity, stop.text, stop.tab, stop.is_backward]) : missing));

it.each(CASES)("goes the way that Python goes in %s", (_, { view: parts, ways }) => {
  const model = buildModel(view(parts));
  for (const [entity, expected] of Object.entries(ways)) expect([entity, way(model, entity)]).toEqual([entity, expected]);
});

it.each(CASES)("writes the addresses that Python writes in %s, and finds its way back", (_, { view: parts, addresses }) => {
  const model = buildModel(view(parts));
  for (const [entity, expected] of Object.entries(addresses)) {
    expect(addressOf(model, entity)).toBe(expected);
    if (model.kin.resolve(entity).length > 0) expect(readAddress(model, `#${expected}`).entity).toBe(entity);
  }
});

it("leads into a view as soon as there is one, once", () => {
  const recordings = new Recordings();
  const nothing = { value: null } as never;
  const store = createStore({ recordings, progress: nothing, failure: { value: "" } as never, asset: () => Promise.reject() }, PARTS);
  followAddressOnce(store, "graph=0&node=n1&view=graphs");
  expect(store.pin.value).toBe("");
  recordings.reset(small());
  expect([store.tab.value, store.pin.value]).toEqual(["graphs", "node:0:1"]);
  store.setTab("overview");
  recordings.reset(small());
  expect(store.tab.value).toBe("overview");
});

it("leads nowhere where an address is of another recording, or damaged", () => {
  const model = buildModel(view({}));
  for (const hash of ["#kernel=7", "#line=-3", "#graph=x&node=y", "#op=99999999999", "#<script>", ""]) expect(readAddress(model, hash)).toEqual({ entity: "", view: null });
  expect(readAddress(model, "#view=passes").view).toBe("passes");
});
