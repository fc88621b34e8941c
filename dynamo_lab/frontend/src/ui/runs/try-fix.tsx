// Something to try: what it is, the code to write, and, where a kernel has the program, a button that tries it.
import type { ComponentChildren } from "preact";
import type { Fix } from "../../core/types.generated";
import { Prose } from "../bits";
import { diffTone } from "../differing";

function Code({ text }: { text: string }) {
  return <pre class="dl-fix-code">{text.split("\n").map((line, i) => <div key={i} class={diffTone(line)}>{line || " "}</div>)}</pre>;
}

interface TryFixProps {
  readonly fix: Pick<Fix, "name" | "sentence" | "code">;
  /** What the button does to the program. */
  readonly title: string;
  /** The name of the fix that is tried now. */
  readonly busy: string | null;
  readonly onTry: (() => void) | null;
  /** Whether it is the one that was asked for. */
  readonly isLit?: boolean;
  readonly children: ComponentChildren;
}

export function TryFix({ fix, title, busy, onTry, isLit = false, children }: TryFixProps) {
  return (
    <li class={isLit ? "is-lit" : ""}>
      <div class="dl-fix-head">
        <span><code>{fix.name}</code> <Prose text={fix.sentence} /></span>
        {onTry && (
          <button type="button" class="dl-button" title={title} disabled={busy !== null} onClick={onTry}>
            {busy === fix.name ? "Trying\u2026" : "Try it"}
          </button>
        )}
      </div>
      <Code text={fix.code} />
      <div role="status">{children}</div>
    </li>
  );
}
