import { nullTranslator } from '@jupyterlab/translation';

import { FakeKernel, helper } from '../../kernel/__tests__/fakekernel';
import { KernelLink } from '../../kernel/link';
import { Settings } from '../../settings';
import { isObject } from '../../protocol';
import { howMany, Maker } from './maker';
import { unreadable, viewsOf } from './views';

/** A minute of the page's clock has a few dozen messages. */
const EVENTS_A_SECOND = 5;

describe('a link', () => {
  let kernel: FakeKernel;
  let link: KernelLink;
  let warn: jest.SpyInstance;
  let error: jest.SpyInstance;
  const make = new Maker();

  beforeEach(() => {
    jest.useFakeTimers();
    warn = jest.spyOn(console, 'warn').mockImplementation();
    error = jest.spyOn(console, 'error').mockImplementation();
    kernel = new FakeKernel();
    const right = helper();
    kernel.answer = request => {
      const reply = right(request);
      const spoilt = make.spoilt(reply);
      return make.happens(0.5) && isObject(spoilt) ? spoilt : reply;
    };
    link = new KernelLink({
      kernel: kernel.connection,
      settings: new Settings(),
      trans: nullTranslator.load('gpu-headroom'),
      isPython: () => Promise.resolve(true),
      refusal: () => null,
      readBootstrap: () => Promise.resolve({ code: '' }),
      inject: () => Promise.resolve(null),
      onDeath: () => undefined
    });
    link.isShown = true;
  });

  afterEach(async () => {
    link.dispose();
    await jest.advanceTimersByTimeAsync(0);
    warn.mockRestore();
    error.mockRestore();
    jest.useRealTimers();
  });

  it('should survive any message of the kernel', async () => {
    const events = make.kinds('event');
    const asked: Promise<unknown>[] = [];
    const problems: unknown[] = [];
    let lived = 0;
    for (let count = howMany(1500) / EVENTS_A_SECOND; count > 0; count--) {
      for (let n = 0; n < EVENTS_A_SECOND; n++) {
        const event = make.valid(make.choice(events));
        const ours = { ...event, helper_id: 'helper-1' };
        kernel.emit(
          (make.happens(0.5) ? make.spoilt(ours) : ours) as object,
          make.happens(0.9) ? undefined : 'another'
        );
      }
      asked.push(link.request('plan', { asked: true }).catch(sentenceOf));
      await jest.advanceTimersByTimeAsync(1000);
      lived += link.state.phase === 'live' ? 1 : 0;
      problems.push(...unreadable(viewsOf(link.state, Date.now())));
      if (link.state.phase !== 'live') {
        kernel.setStatus('restarting');
        kernel.setStatus('idle');
      }
    }
    await jest.advanceTimersByTimeAsync(60_000);
    const answers = await Promise.all(asked);
    expect([...new Set(problems)]).toEqual([]);
    expect(answers.filter(isNoSentence)).toEqual([]);
    expect(lived).toBeGreaterThan(0);
    // One line for each cause, not for each message.
    const ignored = warn.mock.calls.map(String).filter(isAboutMessage);
    expect(ignored).toHaveLength(new Set(ignored).size);
    // Signals catch and log what a slot throws.
    expect(error.mock.calls).toEqual([]);
  });
});

function sentenceOf(reason: unknown): unknown {
  return reason instanceof Error ? { sentence: reason.message } : reason;
}

function isAboutMessage(warning: string): boolean {
  return warning.includes('was ignored');
}

/** Whether a value is neither a reply nor a sentence for users. */
function isNoSentence(answer: unknown): boolean {
  const { sentence = '.' } = answer as { sentence?: string };
  return !/[.!?]$/.test(sentence) && sentence.length > 0;
}
