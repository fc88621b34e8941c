import { useStore } from "../core/context";
export function Strip() {
  const store = useStore();
  return <div class="dl-strip">{store.focus.value}</div>;
}
