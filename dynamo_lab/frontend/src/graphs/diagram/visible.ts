// Other people's text made visible where it leaves the page, as Python does it in `text`:
// what would act on a reader's screen is written out as an escape.

const ACTIVE = /[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2060-\u206f\ufeff\ufff9-\ufffb\u2028-\u202e\ud800-\udfff\u{e0000}-\u{e007f}]/gu;

function escape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const digits = (width: number): string => code.toString(16).padStart(width, "0");
  if (code === 9) return "    ";
  if (code < 0x100) return `\\x${digits(2)}`;
  return code < 0x10000 ? `\\u${digits(4)}` : `\\U${digits(8)}`;
}

/** The text with each active character written out. Line feeds stay. */
export const visible = (text: string): string => text.replace(ACTIVE, escape);

/** The visible text with runs of white space and line breaks as one space. */
export const oneLine = (text: string): string => visible(text.replace(/[ \t\r\n]+/g, " ").replace(/^ +| +$/g, ""));
