// Where a wrapper calls a kernel. Recordings know where a kernel's code stands in the wrapper, but a
// library's kernel has none: its calls are found by its name.

const NOT_A_NAME = "(?<![\\w.])";

/** What begins a line that defines or declares, or is a comment, in Python and in C++. */
const NO_CALL = /^(#|\/\/|def |class |extern "C"|static |inline |void )/;

/**
 * The lines, from 1, on which `code` calls what is named; definitions and comments are none. C++
 * calls a kernel of Triton's through a function, `call_` and its name.
 */
export function callLines(code: string, name: string): number[] {
  if (name === "") return [];
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const call = new RegExp(`${NOT_A_NAME}(?:call_)?${escaped}(?:\\.run)?\\(`);
  return code.split("\n").flatMap((line, i) => {
    const text = line.trimStart();
    const isCall = call.test(line) && !NO_CALL.test(text);
    return isCall ? [i + 1] : [];
  });
}
