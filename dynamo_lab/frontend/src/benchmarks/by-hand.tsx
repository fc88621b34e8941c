// What was generated, beside what a person wrote for the same.
import { useSignal } from "@preact/signals";
import { useModel } from "../core/context";
import type { BenchView } from "../core/types.generated";
import { CodeBlock } from "../ui/code-block";

export function ByHand({ bench }: { bench: BenchView }) {
  const kernels = useModel().view.kernels.kernels.filter((kernel) => kernel.code);
  const ways = bench.ways.filter((way) => way.code);
  const shown = useSignal(0);
  const way = ways[shown.value];
  return (
    <div class="dl-beside-columns">
      <section class="dl-beside-column">
        <h4>generated</h4>
        {kernels.map((kernel) => <CodeBlock key={kernel.id} text={kernel.code} language={kernel.language} label={kernel.title} />)}
        {kernels.length === 0 && <p>No kernel was generated: libraries do all of it.</p>}
      </section>
      <section class="dl-beside-column">
        <h4>
          <span class="dl-segments" role="group" aria-label="Written by hand in">
            {ways.map(({ name }, at) => <button key={name} type="button" aria-pressed={at === shown.value} onClick={() => (shown.value = at)}>{name}</button>)}
          </span>
        </h4>
        <CodeBlock key={way.name} text={way.code} language={way.language} label={`written by hand in ${way.name}`} />
      </section>
    </div>
  );
}
