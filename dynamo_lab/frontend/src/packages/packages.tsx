// What was compiled ahead of time: sentences, facts, and the constants that the package takes along.
import { useSignal } from "@preact/signals";
import { useModel, usePart, useStore } from "../core/context";
import { parseEntity } from "../core/entities";
import type { ConstantView, PackageView } from "../core/types.generated";
import { kernelsState } from "../kernels/state";
import { Empty, Fold, Prose } from "../ui/bits";
import { Table } from "../ui/copy/table";
import { VirtualList } from "../ui/virtual-list";

function Constants({ rows }: { rows: readonly ConstantView[] }) {
  const store = useStore();
  const { kin } = useModel();
  const state = (mask: Uint8Array | null, name: string, entity: string): string => {
    const found = mask && parseEntity(entity);
    return found?.kind === "node" && mask?.[kin.vertex("node", found.a, found.b)] ? name : "";
  };
  return (
    <VirtualList
      label="Constants" count={rows.length} row={26} entity={(i) => rows[i]?.entity ?? ""}
      rowClass={(i) => `dl-row-constant ${state(store.lit.value, "is-lit", rows[i].entity)} ${state(store.held.value, "is-held", rows[i].entity)}`}
      renderRow={(i) => (
        <>
          <span class="dl-constant-name" title={rows[i].name}>{rows[i].name}<span class="dl-value">: {rows[i].value}</span></span>
          <span class="dl-dim">{rows[i].role}</span>
          <span class="dl-bytes">{rows[i].size}</span>
        </>
      )}
    />
  );
}

/** What the tab shows, and how to run what it shows. */
function Reading({ title }: { title: string }) {
  const name = JSON.stringify(title);
  return (
    <Fold label="What is in the code, and how to run it">
      <p>A constant is a tensor that the package carries: hover one and its node, its kernels and your lines light up. What is <em>in the code</em> was small or could be computed at once: it is a number in a kernel now. Kernels has the C++, with the line that calls each kernel.</p>
      <p>In Python:</p>
      <pre>{`model = torch._inductor.aoti_load_package(${name})\nmodel(x)`}</pre>
      <p>In C++, linked with libtorch of the same version:</p>
      <pre>{`#include <torch/csrc/inductor/aoti_package/model_package_loader.h>\ntorch::inductor::AOTIModelPackageLoader model(${name});\nstd::vector<torch::Tensor> outputs = model.run({x});`}</pre>
    </Fold>
  );
}

function About({ item }: { item: PackageView }) {
  const { setTab } = useStore();
  const { kernel } = usePart(kernelsState);
  const showWrapper = (id: number): void => {
    kernel.value = { kind: "wrapper", id };
    setTab("kernels");
  };
  return (
    <div class="dl-partition dl-package">
      {item.sentences.map((text) => <p key={text}><Prose text={text} /></p>)}
      <dl class="dl-package-facts">
        {item.facts.map(([label, value]) => [<dt key={label}>{label}</dt>, <dd key={`${label} value`}>{value}</dd>])}
      </dl>
      {item.wrapper !== null && <p><button type="button" class="dl-go" onClick={() => item.wrapper !== null && showWrapper(item.wrapper)}>show its C++ wrapper</button></p>}
      <Reading title={item.title} />
      <Fold label={`files (${item.files.length})`}>
        <Table class="dl-package-files">
          <tbody>{item.files.map((file) => <tr key={file.path}><td>{file.size}</td><td><code title={file.path}>{file.path}</code></td><td class="dl-dim">{file.what}</td></tr>)}</tbody>
        </Table>
      </Fold>
    </div>
  );
}

export function Package() {
  const { packages } = useModel().view;
  const chosen = useSignal(0);
  const item = packages[chosen.value] ?? packages[0];
  if (!item) return <Empty title="No package">Nothing was compiled ahead of time.</Empty>;
  return (
    <div class="dl-scroll dl-package-page">
      <div class="dl-toolbar">
        <strong class="dl-ellipsis">{item.title}</strong>
        {packages.length > 1 && (
          <select class="dl-select" aria-label="Model in the package" value={chosen.value} onChange={(event) => (chosen.value = Number(event.currentTarget.value))}>
            {packages.map((one, i) => <option key={i} value={i}>{one.model}</option>)}
          </select>
        )}
      </div>
      <About key={chosen.value} item={item} />
      <div class="dl-toolbar dl-package-head"><b>Constants</b> <span class="dl-dim">{item.constants.length} taken along{item.inlined.length > 0 && `, ${item.inlined.length} not`}</span></div>
      <div class="dl-package-constants" style={{ height: `${26 * Math.max(1, Math.min(16, item.constants.length + item.inlined.length))}px` }}>
        <Constants rows={[...item.constants, ...item.inlined]} />
      </div>
    </div>
  );
}
