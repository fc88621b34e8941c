// The layout worker of this mount, which ends with it.
import { stateOf } from "../core/state";
import { LayoutClient } from "./client";

export const layoutClient = stateOf((store) => {
  const client = new LayoutClient(store.source);
  store.atEnd(() => client.close());
  return client;
});
