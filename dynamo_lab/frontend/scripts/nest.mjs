// Every rule of ours is below ".dynamo-lab", so that no other style sheet of the notebook wins over
// it. Written out 700 times that is a seventh of the style sheet; nested, it is written once a block.
// Specificity and order stay what they were.
const SCOPE = ".dynamo-lab ";

/** The statements of minified CSS: a rule or an at-rule each, with its braces. */
function statements(css) {
  const found = [];
  let depth = 0;
  let start = 0;
  let quote = "";
  for (let at = 0; at < css.length; at++) {
    const letter = css[at];
    if (quote) {
      if (letter === "\\") at++;
      else if (letter === quote) quote = "";
    } else if (letter === '"' || letter === "'") quote = letter;
    else if (letter === "{") depth++;
    else if (letter === "}" && --depth === 0) {
      found.push(css.slice(start, at + 1));
      start = at + 1;
    }
  }
  return [...found, css.slice(start)].map((one) => one.trim()).filter(Boolean);
}

/** A list of selectors, divided at the commas that are in no parentheses. */
function selectors(list) {
  const found = [""];
  let depth = 0;
  for (const letter of list) {
    if (letter === "(" || letter === "[") depth++;
    if (letter === ")" || letter === "]") depth--;
    if (letter === "," && depth === 0) found.push("");
    else found[found.length - 1] += letter;
  }
  return found;
}

/** The rule as it stands within the scope; null where it is not below it. */
function within(rule) {
  const open = rule.indexOf("{");
  const each = selectors(rule.slice(0, open));
  if (rule.startsWith("@") || !each.every((one) => one.startsWith(SCOPE))) return null;
  // An element's name comes after "&": older browsers take it for a declaration.
  const inner = each.map((one) => one.slice(SCOPE.length)).map((one) => (/^[a-z]/i.test(one) ? `& ${one}` : one));
  return inner.join() + rule.slice(open);
}

/** The same style sheet, smaller. */
export function nest(css) {
  let made = "";
  let block = "";
  const close = () => {
    if (block) made += `${SCOPE.trim()}{${block}}`;
    block = "";
  };
  for (const one of statements(css)) {
    const inner = within(one);
    if (inner !== null) {
      block += inner;
      continue;
    }
    close();
    const open = one.indexOf("{");
    const isGroup = /^@(container|media|supports|layer)/.test(one) && open > 0;
    made += isGroup ? `${one.slice(0, open)}{${nest(one.slice(open + 1, -1))}}` : one;
  }
  close();
  return made;
}
