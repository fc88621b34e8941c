// What anywidget imports: it brings in the view, whose code is a trait of the model, when it is drawn.
//
// anywidget gives a module two seconds. One that comes later, as the whole view does where the browser is
// busy, is drawn, but each message for it is dropped from then on: the view would stay empty for good.
interface Context {
  readonly model: { get(name: "code"): string };
  readonly signal?: AbortSignal;
}

type Drawn = () => void;
type Render = (context: Context) => Drawn;

async function imported(code: string): Promise<Render> {
  const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  try {
    const module: { default: { render: Render } } = await import(url);
    return module.default.render;
  } finally {
    URL.revokeObjectURL(url);
  }
}

async function render(context: Context): Promise<Drawn | undefined> {
  const draw = await imported(context.model.get("code"));
  return context.signal?.aborted ? undefined : draw(context);
}

export default { render };
