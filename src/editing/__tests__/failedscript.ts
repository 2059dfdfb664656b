import { Notification } from '@jupyterlab/apputils';

import {
  answer,
  type FailedNotebook,
  fixWith
} from '../../__tests__/failednotebook';
import { IN_FILE, message, REPORT } from '../../__tests__/report';
import { EVENTS } from '../../__tests__/samples';
import type { IEdit } from '../../protocol';
import type { FakeFiles } from './fakefiles';

/**
 * A script beside a failed notebook that sets the batch size, and the helper's edit of
 * it.
 */
export class FailedScript {
  static readonly path = 'work/main.py';
  static readonly before = 'batch_size = 1024\n';
  static readonly after = 'batch_size = 512\n';

  /** Let the helper confirm a report whose edit is of the script. */
  static async beside(
    notebook: FailedNotebook,
    { texts }: FakeFiles
  ): Promise<FailedScript> {
    const { after, before, path } = FailedScript;
    const script = new FailedScript(notebook, texts);
    notebook.desk.model.dispose();
    await notebook.confirm({ ...REPORT, remedies: [IN_FILE] });
    texts.set(path, before);
    notebook.memory.answers.fix = () =>
      answer(
        script.text?.replace('\r', '') === after
          ? { ...fixWith([]), status: 'changed', edits: [] }
          : { ...fixWith(['cell-7']), edits: [script.edit] }
      );
    return script;
  }

  private constructor(
    private readonly _notebook: FailedNotebook,
    private readonly _texts: ReadonlyMap<string, string>
  ) {}

  readonly edit: IEdit = {
    cell_id: 'main.py',
    first_line: 1,
    old_lines: FailedScript.before.split('\n'),
    new_lines: FailedScript.after.split('\n')
  };

  get text(): string | undefined {
    return this._texts.get(FailedScript.path);
  }

  /** The status of the remedy, and its sentence. */
  get said(): [string | undefined, string | undefined] {
    const state = this._notebook.stateOf(IN_FILE.id);
    return [state?.status, state && 'text' in state ? state.text : ''];
  }
}

/**
 * Let saving a training take until it is canceled; called before each test.
 *
 * @returns the notifications that are shown, as text
 */
export function saveUntilCancelled({ memory }: FailedNotebook): () => string[] {
  const nothing = {
    path: null,
    bytes: null,
    code: null,
    message: message('rescue.cancelled')
  };
  Notification.manager.dismiss();
  memory.answers.rescue = () => answer({ status: 'queued' });
  memory.answers.cancel = () => {
    setTimeout(() => {
      memory.send({ ...EVENTS.rescue, request_id: '1', ...nothing });
    });
    return answer({ cancelled: true });
  };
  return () => Notification.manager.notifications.map(each => each.message);
}
