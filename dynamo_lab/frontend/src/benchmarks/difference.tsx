// Why the compiled program differs from eager: the verdict, the part that makes it, each compilation.
import type { BisectionView } from "../core/types.generated";
import { Fold, Go, Prose } from "../ui/bits";
import { Table } from "../ui/copy/table";

const TONES: Readonly<Record<string, string>> = { same: "good", rounding: "good", bug: "bad", crash: "bad", unknown: "warning" };

export function Difference({ found }: { found: BisectionView }) {
  return (
    <section class="dl-difference" data-own>
      <h3 class={`dl-tone-${TONES[found.verdict] ?? "warning"}`}>{found.title} <small class="dl-dim">{found.cost}</small></h3>
      <p>{found.entity ? <Go to={found.entity}>{found.sentence}</Go> : found.sentence}</p>
      {found.line && <pre>{found.line}</pre>}
      {found.because && found.because !== found.sentence && <p><Prose text={found.because} /></p>}
      {found.culprits.length > 0 && (
        <dl class="dl-facts">
          {found.culprits.map((one) => <><dt>{one.kind}</dt><dd><b>{one.name}</b> <span class="dl-dim">{one.text || one.detail}</span></dd></>)}
        </dl>
      )}
      {found.notes.map((note) => <p key={note} class="dl-dim">{note}</p>)}
      <Fold label="Each compilation">
        <Table class="dl-totals">
          <thead><tr><th scope="col">compiled</th><th scope="col">backend</th><th scope="col">result</th><th scope="col">time</th><th scope="col" /></tr></thead>
          <tbody>
            {found.trials.map((one, at) => <tr key={at}><th scope="row">{one.what}</th><td>{one.backend}</td><td>{one.outcome}</td><td>{one.time}</td><td>{one.fault}</td></tr>)}
          </tbody>
        </Table>
      </Fold>
    </section>
  );
}
