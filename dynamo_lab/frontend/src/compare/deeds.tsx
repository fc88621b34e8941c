// What two compilers did differently with one program: a table, by topic.
import { Fragment } from "preact";
import type { CompilersView, DeedView } from "../core/types.generated";
import { Fold } from "../ui/bits";

const byTopic = (deeds: readonly DeedView[]): [string, DeedView[]][] =>
  [...new Set(deeds.map(({ topic }) => topic))].map((topic) => [topic, deeds.filter((one) => one.topic === topic)]);

export function Deeds({ of }: { of: CompilersView }) {
  return (
    <Fold label={`What ${of.a} and ${of.b} did differently (${of.deeds.length})`}>
      {of.deeds.length === 0
        ? <p class="dl-dim">Nothing that was recorded.</p>
        : (
          <div class="dl-deeds">
            <table class="dl-table">
              <thead><tr><th scope="col" /><th scope="col">{of.a}</th><th scope="col">{of.b}</th></tr></thead>
              <tbody>
                {byTopic(of.deeds).map(([topic, deeds]) => (
                  <Fragment key={topic}>
                    <tr><th scope="rowgroup" colSpan={3} class="dl-dim">{topic}</th></tr>
                    {deeds.map(({ what, a, b }) => <tr key={what}><td>{what}</td><td>{a}</td><td>{b}</td></tr>)}
                  </Fragment>
                ))}
              </tbody>
            </table>
          </div>
        )}
    </Fold>
  );
}
