// The order of the header's counts, of which a narrow one shows only the first.
import type { Count } from "../core/types.generated";

const isAnswer = ({ tone }: Count): boolean => tone !== "plain";

/** What is asked first, whether it broke, failed or was compiled again, before what there was of it. */
export const answersFirst = (counts: readonly Count[]): readonly Count[] => [...counts.filter(isAnswer), ...counts.filter((one) => !isAnswer(one))];
