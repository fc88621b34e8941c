// The keys of the view as a whole.
import type { Part } from "../core/state";
import { maximiseState } from "./maximise";

export const shellPart: Part = {
  onKeyAnywhere: ({ key, target }, store) => {
    const root = target instanceof Element ? target.closest<HTMLElement>(".dynamo-lab.dl-widget") : null;
    const { isOn, toggle, leave } = maximiseState(store);
    if (key === "Escape" && isOn.value) leave();
    else if (key === "m" && root) toggle(root);
    else return false;
    return true;
  },
};
