// Written by scripts/generate_types.py from Python's structs, by `npm run types`.

export const STATES = ["", "compiled", "eager", "skipped", "compiling", "failed"] as const;

export const MARKS = ["break", "failure", "specialised"] as const;
