import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { PanelLayout, Widget } from '@lumino/widgets';

/** Renderer of the report of one output. */
export type Renderer = Widget & IRenderMime.IRenderer;

/**
 * The output that contains a report. Its renderer is loaded with the first report of
 * the page, since most pages never show one.
 *
 * Owns its renderer. Rejects if that cannot be loaded, which JupyterLab shows; the next
 * attempt loads again.
 */
export class ReportOutput extends Widget implements IRenderMime.IRenderer {
  constructor(private readonly _load: () => Promise<Renderer>) {
    super();
    this.layout = new PanelLayout();
  }

  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    this._renderer ??= this._load();
    this._renderer.catch(() => {
      this._renderer = null;
    });
    const renderer = await this._renderer;
    if (this.isDisposed) {
      renderer.dispose();
      return;
    }
    (this.layout as PanelLayout).addWidget(renderer);
    await renderer.renderModel(model);
  }

  private _renderer: Promise<Renderer> | null = null;
}
