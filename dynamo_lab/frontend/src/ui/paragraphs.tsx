// An explanation in paragraphs, code set as code.
import { Prose } from "./bits";
import { blocks } from "./blocks";

export function Paragraphs({ text, class: style }: { text: string; class?: string }) {
  return (
    <>
      {blocks(text).map((block, i) =>
        block.kind === "code"
          ? <pre key={i} class="dl-quote dl-wrap">{block.text}</pre>
          : <p key={i} class={`dl-lines ${style ?? ""}`}><Prose text={block.text} /></p>)}
    </>
  );
}
