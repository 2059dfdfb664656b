import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { ISessionContext, IWidgetTracker } from '@jupyterlab/apputils';
import type { Kernel } from '@jupyterlab/services';
import type { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';
import type { Widget } from '@lumino/widgets';

import type { IGpuMemory } from '../tokens';
import type { KernelLink } from './link';

/** A notebook or a console. */
export interface IKernelDocument extends Widget {
  readonly sessionContext: ISessionContext;
}

/**
 * Links to the kernels of all notebooks and consoles of this page, one per kernel, and
 * which of them belongs to the focused document, whose memory is shown.
 *
 * Constructs the links, and disposes one when its last document releases it.
 */
export class GpuMemoryTracker implements IGpuMemory, IDisposable {
  /** @param _createLink - creates the link of a connection that has none yet */
  constructor(
    private readonly _createLink: (
      kernel: Kernel.IKernelConnection,
      documents: () => readonly IKernelDocument[]
    ) => KernelLink
  ) {}

  get current(): KernelLink | null {
    return this._current;
  }

  readonly currentChanged = new Signal<this, void>(this);

  get hasDocument(): boolean {
    return this._focused?.sessionContext.isReady ?? false;
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  find(kernel: Pick<Kernel.IModel, 'id'>): KernelLink | null {
    return this._links.get(kernel.id) ?? null;
  }

  /** Follow all present and future documents of a widget tracker. */
  watch(documents: IWidgetTracker<IKernelDocument>): void {
    documents.widgetAdded.connect(this._onAdded, this);
    documents.forEach(document => {
      this.add(document);
    });
  }

  /** Follow the focus of the page. */
  follow(shell: JupyterFrontEnd.IShell): void {
    shell.currentChanged?.connect(this._onFocus, this);
    this.focus(shell.currentWidget);
  }

  /** Follow a notebook or console until it is disposed. */
  add(document: IKernelDocument): void {
    this._documents.add(document);
    document.disposed.connect(this._onDocumentDisposed, this);
    const { sessionContext } = document;
    sessionContext.kernelChanged.connect(this._refresh, this);
    void sessionContext.ready.then(() => {
      this._refresh();
    });
    this._refresh();
  }

  /** Set the widget that has the focus; widgets that were not added count as none. */
  focus(widget: Widget | null): void {
    this._focus = widget;
    this._refresh();
  }

  dispose(): void {
    if (this._isDisposed) {
      return;
    }
    this._isDisposed = true;
    this._links.forEach(link => {
      link.dispose();
    });
    this._links.clear();
    Signal.clearData(this);
  }

  /** The focused notebook or console. */
  private get _focused(): IKernelDocument | null {
    const documents = [...this._documents];
    return documents.find(document => document === this._focus) ?? null;
  }

  private _onAdded(_tracker: unknown, document: IKernelDocument): void {
    this.add(document);
  }

  private _onFocus(shell: JupyterFrontEnd.IShell): void {
    this.focus(shell.currentWidget);
  }

  private _refresh(): void {
    if (this._isDisposed) {
      return;
    }
    const connections = this._connections();
    for (const [id, link] of this._links) {
      if (!connections.has(id) || link.isDisposed) {
        this._links.delete(id);
        link.dispose();
      }
    }
    for (const [id, kernel] of connections) {
      if (!this._links.has(id)) {
        this._links.set(id, this._link(kernel));
      }
    }
    this._update();
  }

  private _link(kernel: Kernel.IKernelConnection): KernelLink {
    const link = this._createLink(kernel, () => this._using(kernel.id));
    // A connection may end before its document does; another one may replace it.
    link.disposed.connect(this._refresh, this);
    return link;
  }

  /** One open connection for each kernel, by the kernel's id. */
  private _connections(): Map<string, Kernel.IKernelConnection> {
    const connections = new Map<string, Kernel.IKernelConnection>();
    for (const document of this._documents) {
      const kernel = document.sessionContext.session?.kernel;
      const connection = kernel && connections.get(kernel.id);
      // Only a connection that handles comms can be used where control cannot.
      if (kernel && !kernel.isDisposed && !connection?.handleComms) {
        connections.set(kernel.id, kernel);
      }
    }
    return connections;
  }

  private _using(id: string): IKernelDocument[] {
    return [...this._documents].filter(
      ({ sessionContext }) => sessionContext.session?.kernel?.id === id
    );
  }

  /** Update the current link and the focus, and emit `changed` if either differs. */
  private _update(): void {
    const kernel = this._focused?.sessionContext.session?.kernel;
    const current = kernel ? this.find(kernel) : null;
    const { hasDocument } = this;
    if (current !== this._current || hasDocument !== this._hadDocument) {
      if (this._current && current !== this._current) {
        this._current.isShown = false;
      }
      if (current) {
        current.isShown = true;
      }
      this._current = current;
      this._hadDocument = hasDocument;
      this.currentChanged.emit();
    }
  }

  private _onDocumentDisposed(document: Widget): void {
    this._documents.delete(document as IKernelDocument);
    this._refresh();
  }

  private readonly _documents = new Set<IKernelDocument>();
  private readonly _links = new Map<string, KernelLink>();
  private _focus: Widget | null = null;
  private _current: KernelLink | null = null;
  private _hadDocument = false;
  private _isDisposed = false;
}
