// Graphviz in a classic worker: one loads from a Blob URL on pages opened from file:// too.
import { Graphviz } from "@hpcc-js/wasm-graphviz";
import type { LayoutReply, LayoutRequest } from "./client";

interface WorkerScope {
  onmessage: ((event: MessageEvent<LayoutRequest>) => void) | null;
  postMessage(reply: LayoutReply): void;
}

const scope = self as unknown as WorkerScope;
const loading = Graphviz.load();

scope.onmessage = ({ data }) => {
  loading
    .then((graphviz) => scope.postMessage({ id: data.id, json: graphviz.layout(data.dot, "json", "dot") }))
    .catch((error: unknown) => scope.postMessage({ id: data.id, error: String(error) }));
};
