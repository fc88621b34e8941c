// One message to the kernel, over a comm of its own: it is heard before the cell that is run next.
import type { Kernel } from "@jupyterlab/services";

type Comm = Kernel.IComm;
type Data = Parameters<Comm["open"]>[0];

/** The last comm to each target of a kernel, which is still open. */
const open = new WeakMap<Kernel.IKernelConnection, Map<string, Comm>>();

/**
 * Sends it; the comm is closed once the next one of its target is open.
 *
 * With the last comm of a target JupyterLab deletes the subshell that its messages take, and ipykernel prints
 * "Task was destroyed but it is pending!" into a cell if one is still on its way, as that of the close is. It is closed
 * from here: what the kernel says of a comm, every page that shows the notebook hears.
 */
export function tell(kernel: Kernel.IKernelConnection, target: string, data: Data, hear?: Comm["onMsg"]): Promise<unknown> {
  const comm = kernel.createComm(target);
  if (hear) comm.onMsg = hear;
  const told = comm.open(data);
  const comms = open.get(kernel) ?? new Map<string, Comm>();
  const before = comms.get(target);
  open.set(kernel, comms.set(target, comm));
  return told.done.then(() => before && !before.isDisposed && before.close());
}
