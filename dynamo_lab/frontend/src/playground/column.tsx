// One column of the playground: how the text is lowered, and what became of it.
import { useEffect, useMemo } from "preact/hooks";
import { carried, shownKernel } from "./lines";
import { Panes } from "./panes";
import type { Column, Ground, How } from "./state";

interface ColumnProps {
  readonly ground: Ground;
  readonly column: Column;
  readonly isOnly: boolean;
}

const DYNAMIC = [[null, "auto", "Sizes are fixed; those that a second call changes become open"], [false, "fixed", "dynamic=False: every size is fixed"], [true, "open", "dynamic=True: every size is open"]] as const;
const MODES = [null, "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs"] as const;

function Pills({ ground, column }: ColumnProps) {
  const how = column.how.value;
  const set = (next: Partial<How>): void => ground.change(column, next);
  return (
    <div class="dl-toolbar dl-ground-pills">
      <select class="dl-select" aria-label="Target" value={how.target} onChange={({ currentTarget }) => set({ target: currentTarget.value })}>
        {ground.start.targets.map(([name, title]) => <option key={name} value={name}>{title}</option>)}
      </select>
      <div class="dl-segments" role="group" aria-label="Backend">
        {["inductor", "lab"].map((name) => <button key={name} type="button" aria-pressed={how.backend === name} onClick={() => set({ backend: name })}>{name}</button>)}
      </div>
      <div class="dl-segments" role="group" aria-label="Sizes">
        {DYNAMIC.map(([value, name, title]) => <button key={name} type="button" title={title} aria-pressed={how.dynamic === value} onClick={() => set({ dynamic: value })}>{name}</button>)}
      </div>
      {how.backend === "inductor" && (
        <select class="dl-select" aria-label="Mode" value={how.mode ?? ""} onChange={({ currentTarget }) => set({ mode: currentTarget.value || null })}>
          {MODES.map((mode) => <option key={mode ?? ""} value={mode ?? ""}>{mode ?? "default mode"}</option>)}
        </select>
      )}
      <button type="button" class="dl-button" aria-pressed={column.isAssembled.value} onClick={() => (column.isAssembled.value = !column.isAssembled.value)}>Assembly</button>
    </div>
  );
}

/** In a line: what is shown, whether it is old, and what is on its way. */
function State({ ground, column }: ColumnProps) {
  const shown = column.shown.value;
  const last = column.last.value;
  const text = column.kept ?? ground.text.value;
  const isOld = shown !== null && (shown.text !== text || shown.how !== column.how.value);
  const told = last && last.text === text ? last.view.diagnostics : [];
  const first = told.find(({ severity }) => severity === "error") ?? told[0];
  const where = first?.line ? `line ${first.line}: ` : "";
  return (
    <div class={`dl-ground-state${isOld ? " is-old" : ""}`} role="status">
      {column.busy.value && <span class="dl-ground-busy" aria-label="Lowering" />}
      {shown && <span class="dl-dim">{isOld ? (column.busy.value ? "Old: lowering what you wrote" : "Old: of the last text that could be lowered") : shown.view.facts}</span>}
      {!shown && column.busy.value && <span class="dl-dim">Lowering; the first time for a target takes a few seconds.</span>}
      {column.error.value && <span class="dl-bad-text">{column.error.value}</span>}
      {!column.error.value && first && <span class={first.severity === "error" ? "dl-bad-text" : "dl-warn-text"}>{where}{first.message}</span>}
    </div>
  );
}

export function ColumnPane(props: ColumnProps) {
  const { ground, column, isOnly } = props;
  const shown = column.shown.value;
  const text = ground.text.value;
  const carry = useMemo(() => carried(shown?.text ?? "", text), [shown, text]);
  const kernels = shown?.view.kernels.kernels ?? [];
  const kernel = shownKernel(kernels, column.kernel.value);
  const isAssembled = column.isAssembled.value;
  useEffect(() => {
    if (shown && kernel && isAssembled && kernel.code !== "" && kernel.language !== "extern") ground.assemble(column, kernel, shown.how);
  }, [shown, kernel, isAssembled]);
  const { busy, error, view } = column.assembled;
  const note = error.value ? <span class="dl-bad-text">{error.value}</span> : busy.value ? <span class="dl-dim">{view.value ? "Old: assembling again" : "Assembling"}</span> : null;
  return (
    <section class="dl-ground-column" aria-label={`Code for ${column.how.value.target} by ${column.how.value.backend}`}>
      <div class="dl-ground-head">
        <Pills {...props} />
        {column.kept !== null && <span class="dl-badge dl-tone-plain" title="This column stays with the text as it was when you kept it">kept text</span>}
        {!isOnly && <button type="button" class="dl-icon" aria-label="Close this column" title="Close this column" onClick={() => ground.drop(column)}>{"\u2715"}</button>}
      </div>
      <State {...props} />
      {shown && (
        <Panes
          kernels={kernels} kernel={kernel} source={shown.view.source} carry={carry} pointed={ground} level={column.level.value}
          assembly={isAssembled ? view.value : undefined} assemblyNote={note}
          choose={(name) => (column.kernel.value = name)} chooseLevel={(name) => (column.level.value = name)}
        />
      )}
    </section>
  );
}
