import { PathExt } from '@jupyterlab/coreutils';
import type { IDocumentManager } from '@jupyterlab/docmanager';
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Contents } from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';

import { sentenceOf } from '../text/reason';
import type { ICode } from '../lab/edit';

/** Matches path segments that could leave the folder. */
const IS_NO_NAME = /^\.\.$|[\\:]/;

/** Why a file is not edited or restored, if it has changed since. */
export function changedSince(name: string, trans: TranslationBundle): string {
  return trans.__('%1 was edited since, so nothing was changed.', name);
}

/** Scripts beside notebooks, read and written through the page's server. */
export class Files {
  constructor(
    private readonly _contents: Contents.IManager,
    private readonly _documents: IDocumentManager | null,
    private readonly _trans: TranslationBundle
  ) {}

  /**
   * A script in a notebook's folder or below.
   *
   * @param name - its path from there; `undefined` is returned for other paths
   */
  find({ context }: NotebookPanel, name: string): ICode | undefined {
    const steps = name.split('/');
    // A server on Windows takes a backslash for a separator, and C: for a drive.
    if (
      PathExt.extname(name) !== '.py' ||
      steps.some(step => IS_NO_NAME.test(step))
    ) {
      return undefined;
    }
    // From the notebook, not from its folder: that has no drive where it is the root.
    const path = this._contents.resolvePath(context.path, `../${name}`);
    return {
      id: name,
      isFile: true,
      isReadOnly: false,
      read: () => this._read(name, path),
      replace: async (from, to) => {
        if ((await this._read(name, path)) !== from) {
          throw new Error(changedSince(name, this._trans));
        }
        await this._told(
          name,
          this._contents.save(path, {
            type: 'file',
            format: 'text',
            content: to
          })
        );
        // An editor would overwrite this with what it shows.
        for (const open of this._open(path)) {
          await open.revert();
        }
        return true;
      }
    };
  }

  /** Read a file as it is saved; rejects with a sentence if it must not be edited. */
  private async _read(name: string, path: string): Promise<string> {
    const trans = this._trans;
    const file = await this._told(
      name,
      this._contents.get(path, {
        type: 'file',
        format: 'text',
        content: true
      })
    );
    const content: unknown = file.content;
    if (typeof content !== 'string' || !file.writable) {
      throw new Error(
        trans.__('%1 is read-only, so nothing was changed.', name)
      );
    }
    // Editors keep line endings separately, if at all; their text has no \r.
    const shown = content.replace(/\r\n/g, '\n');
    if (this._open(path).some(({ model }) => model.toString() !== shown)) {
      throw new Error(
        trans.__('%1 has unsaved changes, so nothing was changed.', name)
      );
    }
    return content;
  }

  private async _told<T>(name: string, wanted: Promise<T>): Promise<T> {
    try {
      return await wanted;
    } catch (reason) {
      const why = sentenceOf(reason);
      throw new Error(
        this._trans.__('%1 cannot be read or written: %2', name, why)
      );
    }
  }

  /** The documents that show a file, in any editor. */
  private _open(path: string): DocumentRegistry.Context[] {
    const documents = this._documents;
    const factories = documents?.registry.preferredWidgetFactories(path) ?? [];
    const matches = factories.map(({ name }) => {
      const widget = documents?.findWidget(path, name);
      return widget && documents?.contextForWidget(widget);
    });
    return [...new Set(matches)].filter(entry => entry !== undefined);
  }
}
