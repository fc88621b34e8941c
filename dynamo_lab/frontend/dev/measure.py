"""Times the offline page in Chromium: python dev/measure.py dev/out/big.html

Prints the first paint and the 50th and 95th percentile of each action, from the event to the frame
that shows its effect. The budgets are 1 s and 100 ms for 5,000 nodes.
"""

import statistics
import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

PAINT = """
new MutationObserver((_, observer) => {
  if (!document.querySelector(".dl-body")) return;
  observer.disconnect();
  requestAnimationFrame(() => requestAnimationFrame(() => { window.painted = performance.now(); }));
}).observe(document, { childList: true, subtree: true });
window.timed = async (act) => {
  const start = performance.now();
  act();
  await new Promise((done) => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = done;
    channel.port2.postMessage(0);
  }));
  return performance.now() - start;
};
"""

ACTIONS = {
    "tab": """async () => {
      const times = [];
      for (let i = 0; i < 24; i++) {
        const tabs = [...document.querySelectorAll("[role=tab]")];
        times.push(await timed(() => tabs[i % tabs.length].click()));
      }
      document.querySelector("[data-tab=graphs]").click();
      return times;
    }""",
    "hover a row": """async () => {
      const times = [];
      for (let i = 0; i < 40; i++) {
        const rows = document.querySelectorAll(".dl-row");
        const row = rows[i % rows.length];
        times.push(await timed(() => row.dispatchEvent(new PointerEvent("pointerover", { bubbles: true }))));
      }
      return times;
    }""",
    "hover a line": """async () => {
      const times = [];
      for (let i = 0; i < 40; i++) {
        const lines = document.querySelectorAll(".cm-line[data-entity]");
        const line = lines[i % lines.length];
        times.push(await timed(() => line.dispatchEvent(new PointerEvent("pointerover", { bubbles: true }))));
      }
      return times;
    }""",
    "pin a line": """async () => {
      const times = [];
      for (let i = 0; i < 20; i++) {
        const lines = document.querySelectorAll(".cm-line[data-entity]");
        times.push(await timed(() => lines[(i * 3) % lines.length].click()));
      }
      return times;
    }""",
    "scroll": """async () => {
      const times = [];
      const list = document.querySelector(".dl-list");
      for (let i = 0; i < 40; i++) times.push(await timed(() => { list.scrollTop = (i * 7919) % list.scrollHeight; }));
      return times;
    }""",
    "search": """async () => {
      const times = [];
      const box = document.querySelector(".dl-panel input[type=search]");
      for (const text of ["a", "ad", "add", "add 8", "mul", "layers.3", "f32", "zzz", "1", "view 64", ""]) {
        times.push(await timed(() => { box.value = text; box.dispatchEvent(new Event("input", { bubbles: true })); }));
      }
      return times;
    }""",
    "stage": """async () => {
      const times = [];
      for (let i = 0; i < 16; i++) {
        const stages = document.querySelectorAll(".dl-segments[aria-label=Stage] button");
        times.push(await timed(() => stages[i % stages.length].click()));
      }
      return times;
    }""",
}


def report(page: Page) -> None:
    page.wait_for_function("window.painted")
    print(f"first paint   {page.evaluate('window.painted'):6.0f} ms")
    page.click("[data-tab=graphs]")
    for name, script in ACTIONS.items():
        times = sorted(page.evaluate(script))
        p95 = times[min(len(times) - 1, int(len(times) * 0.95))]
        print(f"{name:13} {statistics.median(times):6.1f} ms   p95 {p95:6.1f} ms")
    page.evaluate("document.querySelector('[data-tab=graphs]').click()")
    start = page.evaluate("performance.now()")
    page.click(".dl-segments[aria-label=Form] button:last-child")
    page.wait_for_selector(".dl-box, .dl-empty", timeout=20_000)
    print(f"diagram       {page.evaluate('performance.now()') - start:6.0f} ms")


def main(path: Path) -> None:
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=arguments)
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        page.add_init_script(PAINT)
        page.on("console", lambda message: print(message.type, message.text))
        page.on("pageerror", lambda error: print("error", error))
        page.goto(path.resolve().as_uri())
        report(page)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
