/** So many bytes, as dynamo_lab/view/words.py writes them: "512 B", "3.1 MB". */
export function bytesText(count: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let [amount, unit] = [count, 0];
  while (amount >= 999.5 && unit < units.length - 1) [amount, unit] = [amount / 1000, unit + 1];
  const shown = unit === 0 || amount >= 99.5 ? amount.toFixed(0) : amount.toFixed(1);
  return `${shown.replace(/\.0$/, "")} ${units[unit]}`;
}
