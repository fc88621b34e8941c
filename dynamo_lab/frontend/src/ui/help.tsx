// The keys, on "?".
import { useLayoutEffect, useRef } from "preact/hooks";
import { useStore } from "../core/context";

const KEYS: readonly (readonly [string, string])[] = [
  ["1 \u2026 6", "choose a group of views; again: its next view"],
  ["c", "show or hide your code"],
  ["d", "all facts of what is selected, or close them"],
  ["m", "fill the notebook\u2019s panel, or go back"],
  ["y", "copy a link to what is shown"],
  ["j k \u2191 \u2193", "next, previous row or line"],
  ["Enter", "select the row: related rows stay lit"],
  ["n N", "next, previous hit, or related row"],
  ["i u", "to the first input, the first user"],
  ["I U", "the next input, the next user"],
  ["\u232b", "back to where i or u was pressed"],
  ["\u2192 \u2190", "open, close the body of an operator"],
  ["b B", "next, previous graph break"],
  ["\u2190 \u2192", "in your code: the call or operator before, the next, in the line"],
  ["\u2190 \u2192", "in Passes: the rewrite before, the next"],
  ["\u2190 \u2192", "in Operators: the operator before, the next"],
  ["/", "search"],
  ["Esc", "close, unselect"],
  ["?", "these keys"],
];

const STEPS_KEYS: readonly (readonly [string, string])[] = [
  ["\u2190 \u2192", "step back, step"],
  ["o O", "over a call, back over it"],
  ["u U", "out of a call: to the step after, before it"],
  ["b B", "next, previous break"],
  ["n N", "next, previous node"],
  ["g G", "next, previous guard"],
  ["a A", "next, previous analysis"],
  ["Home End", "first, last step"],
];

function Keys({ keys }: { keys: typeof KEYS }) {
  return (
    <dl>
      {keys.map(([names, text]) => (
        <div key={names}>
          <dt>{names.split(" ").map((key) => <kbd key={key}>{key}</kbd>)}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

export function Help() {
  const store = useStore();
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => box.current?.focus(), []);
  const close = (): void => void (store.help.value = false);
  return (
    <div class="dl-help" role="dialog" aria-label="Keys" tabIndex={-1} ref={box} data-own>
      <header>
        <strong>Keys</strong>
        <button type="button" class="dl-icon" aria-label="Close" onClick={close}>{"\u2715"}</button>
      </header>
      <Keys keys={KEYS} />
      {store.tabs.value.includes("steps")
        ? <><strong>While Steps is shown</strong><Keys keys={STEPS_KEYS} /></>
        : <p>To watch Dynamo at work, one instruction at a time, record with <code>%%compile --steps</code>.</p>}
      <p>In Kernels, a statement has the colour of your line that it is there for; one without a colour serves several lines. In assembly, so does each instruction.</p>
      {store.model.value?.view.bench && <p>Beside your lines stands the measured time of their kernels in one call; {"\u2264"} where a kernel serves other lines too.</p>}
      <p>Hover anything and what it came from and became lights up in every pane. A click selects it, and its whole way stands at the foot.</p>
    </div>
  );
}
