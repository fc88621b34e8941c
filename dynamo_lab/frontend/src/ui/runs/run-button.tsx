// A button for what the kernel measures of the recording that is shown; it becomes a recording beside it.
import { useSignal } from "@preact/signals";
import { useStore } from "../../core/context";
import { offers } from "../../core/source";
import { Prose } from "../bits";
import { messageOf } from "../../core/words";

interface RunButtonProps {
  readonly what: "warm_start" | "time_guards" | "beside";
  readonly label: string;
  readonly title: string;
  readonly busy?: string;
  /** What is done with the new recording; it is shown, unless this says otherwise. */
  show?(label: string): void;
}

/** Nothing where no kernel has the program, or where nothing of it was compiled. */
export function RunButton({ what, label, title, busy = "Measuring", show }: RunButtonProps) {
  const { source } = useStore();
  const { runs, recordings } = source;
  const isBusy = useSignal(false);
  const error = useSignal("");
  const entry = recordings.shown.value;
  if (!runs?.ready.value || !entry || !offers(source, "lower")) return null;
  const { base, asked } = entry;
  const start = (): void => {
    isBusy.value = true;
    error.value = "";
    runs.run(what, base, {})
      .then((ran) => {
        recordings.add(ran, { base, fix: "", asked });
        (show ?? ((made) => recordings.show(made)))(ran.label);
      }, (reason: unknown) => void (error.value = messageOf(reason)))
      .finally(() => (isBusy.value = false));
  };
  return (
    <span data-own>
      <button type="button" class="dl-button" title={title} disabled={isBusy.value} onClick={start}>{isBusy.value ? busy : label}</button>
      {error.value && <span class="dl-would-error" role="alert"> <Prose text={error.value} /></span>}
    </span>
  );
}
