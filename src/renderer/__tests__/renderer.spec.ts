import {
  Clipboard,
  type ISessionContext,
  type ISessionContextDialogs
} from '@jupyterlab/apputils';
import { nullTranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';

import {
  FakeGpuMemory,
  FakeMemory,
  goOn,
  settle
} from '../../__tests__/memory';
import {
  buttonsIn,
  HOSTILE,
  RELEASED,
  REPORT,
  RESTART,
  SUGGESTION,
  WORDS
} from '../../__tests__/report';
import { Announcer } from '../../lab/announcer';
import { Registry } from '../../registry';
import { FakeServices } from '../../release/__tests__/services';
import { MIME_TYPE } from '../../tokens';
import { desksOf } from '../desk';
import { Offers } from '../offers';
import type { IPlace, Places } from '../place';
import { ReportRenderer } from '../renderer';

const OFFERS = new Offers(new Registry());

const known = () =>
  Promise.resolve({ status: 'known' as const, report: REPORT, released: null });

/** A console with a kernel: a place without cells to edit. */
function consolePlace(): IPlace {
  const sessionContext = {
    session: { kernel: {} },
    kernelChanged: new Signal<unknown, unknown>({})
  };
  return {
    sessionContext: sessionContext as unknown as ISessionContext,
    panel: null
  };
}

describe('ReportRenderer', () => {
  let memory: FakeMemory;
  let page: FakeGpuMemory;
  let announcer: Announcer;
  let place: IPlace | null;
  let options: ConstructorParameters<typeof ReportRenderer>[0];
  let restart: jest.Mock;

  beforeEach(() => {
    document.body.replaceChildren();
    memory = new FakeMemory({ report: known });
    page = new FakeGpuMemory(memory);
    announcer = new Announcer();
    place = consolePlace();
    restart = jest.fn().mockResolvedValue(true);
    options = {
      memory: page,
      places: { find: () => place } as unknown as Places,
      deskOf: desksOf(new FakeServices().sessions, nullTranslator),
      offers: OFFERS,
      announcer,
      dialogs: { restart } as unknown as ISessionContextDialogs,
      words: WORDS
    };
  });

  async function render(data: unknown): Promise<ReportRenderer> {
    const renderer = new ReportRenderer(options);
    await renderer.renderModel({
      data: { [MIME_TYPE]: data },
      metadata: {},
      trusted: false,
      setData: () => undefined
    } as Parameters<ReportRenderer['renderModel']>[0]);
    Widget.attach(renderer, document.body);
    return renderer;
  }

  const buttons = ({ node }: Widget): string[] => buttonsIn(node);
  const said = (): string =>
    document.querySelector('[role="status"]')?.textContent ?? '';

  it('should offer buttons only after the helper has confirmed', async () => {
    const renderer = await render(REPORT);
    expect(buttons(renderer)).toEqual([]);
    await settle();
    expect(buttons(renderer)).toEqual(['Free now']);
  });

  it('should copy a suggestion, and show that beside it', async () => {
    const copy = jest.spyOn(Clipboard, 'copyToSystem').mockReturnValue();
    const report = { ...REPORT, remedies: [SUGGESTION] };
    memory.answers.report = () =>
      Promise.resolve({ status: 'known', report, released: null });
    const renderer = await render(REPORT);
    await settle();
    const status = renderer.node.querySelector('ol [role=status]');
    renderer.node.querySelector<HTMLElement>('ol button')?.click();
    await settle();
    expect(copy.mock.lastCall).toEqual([SUGGESTION.example]);
    expect(renderer.node.querySelector('ol [role=status]')).toBe(status);
    expect(status?.textContent).toBe('Copied.');
  });

  it.each([
    ['a live report', () => consolePlace()],
    ['a saved one', () => null]
  ])('should copy %s, whole or as evidence', async (_, where) => {
    place = where();
    const copy = jest.spyOn(Clipboard, 'copyToSystem').mockReturnValue();
    const renderer = await render(REPORT);
    await settle();
    const press = async (label: string): Promise<unknown> => {
      const found = [...renderer.node.querySelectorAll('button')].find(
        each => each.textContent === label
      );
      found?.click();
      await settle();
      await settle();
      return copy.mock.lastCall?.[0];
    };
    expect(await press('Copy report')).toMatch(/^### Out of GPU memory/);
    expect(await press('Report a wrong diagnosis')).toMatch(/^\{\n/);
    expect(renderer.node.textContent).toContain('without your code and names');
    expect(said()).toContain('without your code and names');
  });

  it('should remove the buttons when the kernel restarts', async () => {
    const renderer = await render(REPORT);
    await settle();
    memory.restart();
    expect(buttons(renderer)).toEqual([]);
  });

  it('should be text without a kernel, and find one that is started later', async () => {
    page.current = null;
    const renderer = await render(REPORT);
    await settle();
    expect(buttons(renderer)).toEqual([]);
    page.current = memory;
    page.currentChanged.emit();
    await settle();
    expect(buttons(renderer)).toContain('Free now');
  });

  it('should be text outside notebooks and consoles', async () => {
    place = null;
    const renderer = await render(REPORT);
    await settle();
    expect(memory.requests).toEqual([]);
    expect(buttons(renderer)).toEqual([]);
  });

  it('should show the copy of the helper instead of what was saved', async () => {
    const renderer = await render({ ...REPORT, device_name: 'Forged' });
    await settle();
    expect(renderer.node.textContent).not.toContain('Forged');
  });

  it('should show the result when its memory is freed', async () => {
    const renderer = await render(REPORT);
    await settle();
    memory.send(RELEASED);
    expect(renderer.node.textContent).toContain('12.0 GiB freed');
  });

  it('should ask before it restarts its own kernel', async () => {
    const stopped = { ...REPORT, sticky_error: true, remedies: [RESTART] };
    memory.answers.report = () =>
      Promise.resolve({ status: 'known', report: stopped, released: null });
    const renderer = await render(stopped);
    await settle();
    expect(buttons(renderer)).toEqual(['Restart kernel…']);
    renderer.node.querySelector('button')?.click();
    expect(restart).toHaveBeenCalledWith(place?.sessionContext);
  });

  it('should free by ids, and show the result in all its outputs', async () => {
    memory.answers.release = () =>
      Promise.resolve({ release_id: 'release-1', status: 'queued' as const });
    const [first, second] = [await render(REPORT), await render(REPORT)];
    await settle();
    first.node.querySelector('button')?.click();
    await goOn();
    expect(buttons(second)).toContain('Freeing…');
    memory.send(RELEASED);
    await settle();
    expect(memory.requests).toContainEqual([
      'release',
      {
        items: ['traceback', 'garbage', 'cache'],
        confirmed: [],
        report_id: 'report-1'
      }
    ]);
    expect(second.node.textContent).toContain('12.0 GiB freed');
  });

  it('should show in the report why nothing was freed', async () => {
    const renderer = await render(REPORT);
    await settle();
    renderer.node.querySelector('button')?.click();
    await settle();
    expect(renderer.node.textContent).toContain('The helper does not answer.');
  });

  it.each(HOSTILE)('should show one sentence for %s', async (_, data) => {
    const renderer = await render(data);
    await settle();
    expect(renderer.node.textContent).toBe('This saved report cannot be read.');
    expect(memory.requests).toEqual([]);
  });

  describe('of a report that was not saved', () => {
    const stub = {
      version: '1.0',
      report_id: 'report-1',
      helper_id: 'helper-1'
    };

    it('should get it from the running helper', async () => {
      const renderer = await render(stub);
      expect(renderer.node.textContent).toContain('Asking the kernel');
      await settle();
      expect(renderer.node.textContent).toContain('Out of GPU memory');
    });

    it('should show that it is gone with the helper', async () => {
      const renderer = await render({ ...stub, helper_id: 'helper-0' });
      await settle();
      expect(renderer.node.textContent).toBe(
        'The details of this report were not saved.'
      );
    });
  });

  it('should announce a new failure once, and leave the focus alone', async () => {
    await render(REPORT);
    await settle();
    expect(said()).toBe('');
    memory.set({
      lastOom: {
        type: 'oom',
        helper_id: REPORT.helper_id,
        report_id: REPORT.report_id,
        time_s: REPORT.time_s,
        cell_id: null,
        device_index: null,
        requested_bytes: null,
        available_bytes: null
      }
    });
    expect(said()).toContain('Out of GPU memory — needed 2.00 GiB more');
    announcer.announce('');
    await render(REPORT);
    await settle();
    expect(said()).toBe('');
    expect(document.activeElement).toBe(document.body);
  });

  it('should release everything, even if disposed twice', async () => {
    const renderer = await render(REPORT);
    await settle();
    renderer.dispose();
    renderer.dispose();
    memory.send(RELEASED);
    page.currentChanged.emit();
    expect(renderer.isDisposed).toBe(true);
  });
});
