// Which colours to wear: the reader's choice, else the notebook's theme, else the system's.
import { effect, type ReadonlySignal, signal } from "@preact/signals";

export type ThemeChoice = "auto" | "light" | "dark";
export type Scheme = "light" | "dark";

/** What the page around us says of its theme, null where it says nothing. */
export function hostScheme(body: HTMLElement, html: HTMLElement): Scheme | null {
  const jupyter = body.dataset.jpThemeLight;
  if (jupyter !== undefined) return jupyter === "true" ? "light" : "dark";
  const code = body.dataset.vscodeThemeKind;
  if (code !== undefined) return code.includes("light") ? "light" : "dark";
  if (html.getAttribute("theme") === "dark") return "dark"; // Colab
  return null;
}

/** What JupyterLab's settings say, written there by our extension. */
function chosenOutside({ dataset }: HTMLElement): ThemeChoice {
  const { dynamoLabTheme: theme } = dataset;
  return theme === "light" || theme === "dark" ? theme : "auto";
}

/** Keeps `root`'s data-theme and data-scheme right until the clean-up is called. */
export function followTheme(root: HTMLElement, choice: ReadonlySignal<ThemeChoice>): () => void {
  const { body, documentElement: html } = root.ownerDocument;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const outside = signal<Scheme>("light");
  const setting = signal<ThemeChoice>("auto");
  const look = (): void => {
    setting.value = chosenOutside(body);
    outside.value = hostScheme(body, html) ?? (system.matches ? "dark" : "light");
  };
  look();
  const observer = new MutationObserver(look);
  observer.observe(body, { attributes: true, attributeFilter: ["data-jp-theme-light", "data-vscode-theme-kind", "data-dynamo-lab-theme"] });
  observer.observe(html, { attributes: true, attributeFilter: ["theme"] });
  system.addEventListener("change", look);
  const stop = effect(() => {
    const theme = choice.value === "auto" ? setting.value : choice.value;
    root.dataset.theme = theme;
    root.dataset.scheme = theme === "auto" ? outside.value : theme;
  });
  return () => {
    stop();
    observer.disconnect();
    system.removeEventListener("change", look);
  };
}
