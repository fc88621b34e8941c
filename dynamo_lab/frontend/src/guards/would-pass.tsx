// "Would this input pass?": the kernel tries a call on the guards of each compilation.
import { type Signal, useSignal } from "@preact/signals";
import { useModel, useStore } from "../core/context";
import type { WouldPass } from "../core/types.generated";
import { messageOf, withoutFolders } from "../core/words";
import { CompileId, Go, Prose } from "../ui/bits";
import { exampleOf } from "./example";

export function WouldPassBox({ answer }: { answer: Signal<WouldPass | null> }) {
  const { source } = useStore();
  const { view } = useModel();
  const text = useSignal("");
  const error = useSignal("");
  const busy = useSignal(false);
  const { ask: askKernel } = source;
  if (!askKernel) return null;
  const ask = (event: Event): void => {
    event.preventDefault();
    busy.value = true;
    askKernel("would_pass", { text: text.value })
      .then((found) => {
        answer.value = found;
        error.value = "";
      })
      .catch((reason: unknown) => {
        answer.value = null;
        error.value = messageOf(reason);
      })
      .finally(() => (busy.value = false));
  };
  return (
    <form class="dl-would" onSubmit={ask}>
      <label class="dl-would-ask">
        <span>Would this input pass?</span>
        <input
          type="text" aria-label="Arguments of a call" placeholder={exampleOf(view)} spellcheck={false} autocomplete="off"
          value={text.value} onInput={(event) => (text.value = event.currentTarget.value)}
        />
        <button type="submit" class="dl-button" disabled={busy.value}>{busy.value ? "Asking\u2026" : "Try"}</button>
      </label>
      {error.value && <p class="dl-would-error" role="alert"><Prose text={error.value} /></p>}
      {answer.value && <Verdicts answer={answer.value} />}
    </form>
  );
}

function Verdicts({ answer }: { answer: WouldPass }) {
  return (
    <div role="status">
      <p class={answer.reuses === null ? "dl-would-no" : "dl-would-yes"}><Prose text={answer.sentence} /></p>
      <ul class="dl-plain">
        {answer.checks.map((check) => (
          <li key={check.compile_id}>
            <span class={check.passes ? "dl-would-yes" : "dl-would-no"}>{check.passes ? "\u2713" : "\u2717"}</span> compilation <CompileId id={check.compile_id} />{" "}
            {check.passes ? "passes" : <Prose text={check.text} />} {check.where && <Go to={check.entity} title={check.where}>{withoutFolders(check.where)}</Go>}
          </li>
        ))}
      </ul>
    </div>
  );
}
