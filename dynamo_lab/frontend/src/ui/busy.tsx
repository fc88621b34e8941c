// Something that takes its time: what it is, and how many seconds it has been.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

export function Busy({ what }: { what: string }) {
  const seconds = useSignal(0);
  useEffect(() => {
    const timer = setInterval(() => void seconds.value++, 1000);
    return () => clearInterval(timer);
  }, []);
  return (
    <div class="dl-progress" role="progressbar" aria-label={what}>
      <div class="dl-progress-bar is-unknown" />
      <span class="dl-progress-text">{what}{seconds.value > 0 && ` \u00b7 ${seconds.value} s`}</span>
    </div>
  );
}
