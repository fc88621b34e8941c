// Which modules are open, which is chosen, and what the bars are of.
import { computed, signal } from "@preact/signals";
import { stateOf } from "../core/state";
import { heatOf, initiallyOpen, type Measure, measuresOf, openRows } from "./rows";

export const modulesState = stateOf((store) => {
  const toggled = signal<ReadonlySet<string>>(new Set());
  const chosen = signal("");
  const wanted = signal<Measure | null>(null);
  const view = computed(() => store.model.value?.view.modules);
  const first = computed(() => (view.value ? initiallyOpen(view.value) : new Set<string>()));
  const isOpen = (key: string): boolean => first.value.has(key) !== toggled.value.has(key);
  const rows = computed(() => (view.value ? openRows(view.value, isOpen) : []));
  const measures = computed(() => (view.value ? measuresOf(view.value) : []));
  const measure = computed(() => (wanted.value && measures.value.includes(wanted.value) ? wanted.value : measures.value[0]));
  const toggle = (key: string): void => {
    const next = new Set(toggled.peek());
    if (!next.delete(key)) next.add(key);
    toggled.value = next;
  };
  return {
    chosen, wanted, rows, measures, measure, isOpen, toggle,
    heat: computed(() => (view.value && measure.value ? heatOf(view.value, measure.value) : null)),
    reset: () => {
      toggled.value = new Set();
      chosen.value = "";
    },
  };
});
