// What is wrong, on top of every view: each finding with its line, evidence, remedy and foretold gain.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useStore } from "../core/context";
import { isTab, placeName } from "../core/tabs";
import type { Evidence, Finding, FindingsView } from "../core/types.generated";
import { Badge, Go, Prose } from "../ui/bits";
import { diffTone } from "../ui/differing";
import { Apply, ApplyAll } from "./apply";
import { CopyButton } from "../ui/copy/copy";
import { Edit } from "./edit";

/** Opens the tab that shows it, with the entity selected where it has one. */
export function Seen({ item }: { item: Evidence }) {
  const store = useStore();
  const open = (): void => {
    if (item.entity) store.go(item.entity);
    if (isTab(item.tab)) store.setTab(item.tab);
  };
  const isLink = isTab(item.tab) && store.tabs.value.includes(item.tab);
  const text = <Prose text={item.text} plain={isLink} />;
  return isLink ? <button type="button" class="dl-link dl-finding-seen" title={`Shows it in ${placeName(item.tab)}`} onClick={open}>{text}</button> : <span>{text}</span>;
}

function Code({ text }: { text: string }) {
  return (
    <div class="dl-finding-code">
      <pre class="dl-fix-code" tabIndex={0} aria-label="What to write">{text.split("\n").map((line, i) => <div key={i} class={diffTone(line)}>{line || " "}</div>)}</pre>
      <CopyButton text={text} />
    </div>
  );
}

/** A fact with what it is, as in a terminal; nothing where it has nothing to say. */
export function Row({ name, children }: { name: string; children: ComponentChildren }) {
  return children ? <><dt>{name}</dt><dd>{children}</dd></> : null;
}

/** What it is foretold to gain, and how far it can be applied as it stands. */
function Gain({ item }: { item: Finding }) {
  return (
    <>
      {item.gain_text && `foretold: ${item.gain_text} `}
      {item.grade_text && <Badge tone={item.grade === "safe" ? "good" : "grey"}>{item.grade_text}</Badge>}
    </>
  );
}

function What({ item }: { item: Finding }) {
  const code = item.edit ? <Edit edit={item.edit} /> : item.code && <Code text={item.code} />;
  return (
    <>
      {item.code_place && <p><Prose text={item.code_place} /></p>}
      {code}
    </>
  );
}

function Facts({ item }: { item: Finding }) {
  const seen = item.evidence.length > 0 && <ul class="dl-finding-evidence" aria-label="Evidence">{item.evidence.map((one, i) => <li key={i}><Seen item={one} /></li>)}</ul>;
  return (
    <dl class="dl-finding-facts">
      <Row name="at">{item.where && (item.entity ? <Go to={item.entity}>{item.where}</Go> : item.where)}</Row>
      <Row name="seen">{seen}</Row>
      <Row name="do">{item.remedy && <Prose text={item.remedy} />}</Row>
      <Row name={item.gain_text ? "gain" : "grade"}>{(item.gain_text || item.grade_text) && <Gain item={item} />}</Row>
      <Row name="write">{(item.edit || item.code) && <What item={item} />}</Row>
      <Row name="try">{item.can_apply && <Apply ids={[item.id]} how={`rec.findings[${item.id}].apply()`} />}</Row>
    </dl>
  );
}

function One({ item }: { item: Finding }) {
  const isProblem = item.level === "problem";
  const isOpen = useSignal(isProblem && item.id === 0);
  return (
    <li class="dl-finding">
      <details data-own open={isOpen.value} onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
        <summary>
          <Badge tone={isProblem ? "warning" : "grey"}>{item.level}</Badge>{" "}
          <Prose text={item.sentence} plain />
        </summary>
        {isOpen.value && <Facts item={item} />}
      </details>
    </li>
  );
}

function summaryOf({ found, more }: FindingsView): string {
  const problems = found.filter((one) => one.level === "problem").length;
  const notes = found.length - problems;
  const count = (many: number, word: string): string => (many === 0 ? "" : `${many} ${word}${many === 1 ? "" : "s"}`);
  return [count(problems, "problem"), count(notes, "note"), more ? `${more} more` : ""].filter(Boolean).join(", ");
}

/** All of them, as lines that open; the first problem is open. */
export function Findings() {
  const view = useStore().model.value?.view.findings;
  if (!view || (view.found.length === 0 && !view.clean)) return null;
  if (view.found.length === 0) return <p class="dl-findings is-clean" role="status"><b>Findings</b> {view.clean}</p>;
  const safe = view.found.filter((one) => one.can_apply && one.grade === "safe");
  return (
    <section class="dl-findings" aria-label="Findings" data-own>
      <h3><b>Findings</b> <span class="dl-dim">{summaryOf(view)}</span></h3>
      <ol>{view.found.map((item) => <One key={item.id} item={item} />)}</ol>
      {safe.length > 1 && <ApplyAll />}
    </section>
  );
}
