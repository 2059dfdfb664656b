import type { Contents } from '@jupyterlab/services';
import { nullTranslator } from '@jupyterlab/translation';

import type { IReportOffer } from '../../renderer/offer';
import { Files } from '../files';
import { offersOf } from '../offers';

/** The files of a server, and an editor in which one of them may be open. */
export class FakeFiles {
  /** Texts by path. */
  readonly texts = new Map<string, string>();
  /** The file that is open; `isDirty`: with changes that are not saved. */
  open: { path: string; isDirty: boolean } | null = null;
  /** Paths that an editor has read again. */
  readonly shown: string[] = [];
  writable = true;
  /** Called before a file is written. */
  onSave: (() => void) | null = null;

  get files(): Files {
    return new Files(...this._services);
  }

  /** The buttons of reports, using these files. */
  get offers(): readonly IReportOffer[] {
    return offersOf(...this._services);
  }

  private get _services(): ConstructorParameters<typeof Files> {
    const contents = {
      resolvePath: (root: string, path: string) =>
        new URL(path, `http://host/${root}/`).pathname.slice(1),
      get: (path: string, wanted: Contents.IFetchOptions) => {
        const text = this.texts.get(path);
        const content = wanted.content ? text : null;
        return text === undefined
          ? Promise.reject(new Error('No such file'))
          : Promise.resolve({ content, writable: this.writable });
      },
      save: (path: string, { content }: { content: string }) => {
        this.onSave?.();
        this.texts.set(path, content);
        return Promise.resolve({});
      }
    };
    const documents = {
      registry: { preferredWidgetFactories: () => [{ name: 'Editor' }] },
      findWidget: (path: string) => (path === this.open?.path ? {} : undefined),
      contextForWidget: () => ({
        model: {
          toString: () =>
            this.open?.isDirty
              ? 'typed'
              : this.texts.get(this.open?.path ?? '')?.replace(/\r\n/g, '\n')
        },
        revert: () => {
          this.shown.push(this.open?.path ?? '');
          return Promise.resolve();
        }
      })
    };
    return [
      contents as unknown as Contents.IManager,
      documents as unknown as ConstructorParameters<typeof Files>[1],
      nullTranslator.load('gpu-headroom')
    ];
  }
}
