import { nullTranslator } from '@jupyterlab/translation';

import { gib } from '../../__tests__/report';
import { FIT_START, type FitEvent, fitting, type IFit } from '../fit';
import { fitSentence } from '../fitwords';

const trans = nullTranslator.load('gpu-headroom');

const found = (size: number): FitEvent => ({
  type: 'found',
  setting: `batch_size = ${size}`
});
const free: FitEvent = { type: 'asked', isCostly: false };
const costly: FitEvent = { type: 'asked', isCostly: true };
const agreed: FitEvent = { type: 'agreed' };
const freed: FitEvent = { type: 'freed', names: false };
const deleted: FitEvent = { type: 'freed', names: true };
const edited: FitEvent = { type: 'edited' };
const full: FitEvent = { type: 'failed', isOom: true };
const cancel: FitEvent = { type: 'cancel' };
const passed: FitEvent = {
  type: 'passed',
  peak: {
    least_bytes: gib(11.2),
    most_bytes: gib(11.2),
    capacity_bytes: gib(14.7)
  }
};
const first = [found(512), free, edited, freed];
const second = [...first, full, found(256), costly, agreed, edited, deleted];

const after = (events: readonly FitEvent[]): IFit =>
  events.reduce(fitting, FIT_START);

describe('fitting', () => {
  it.each<[string, FitEvent[], string, string]>([
    ['nothing yet', [], 'finding', 'Looking for what would make it fit…'],
    [
      'an edit',
      [found(512)],
      'asking',
      'Looking at what running it again would cost…'
    ],
    ['a cost', [found(512), costly], 'agreeing', 'Asking what may be lost…'],
    ['no cost', first.slice(0, 2), 'editing', 'Trying batch_size = 512…'],
    [
      'an agreement',
      [found(512), costly, agreed],
      'editing',
      'Trying batch_size = 512…'
    ],
    [
      'editing',
      first.slice(0, 3),
      'freeing',
      'Freeing what the failed cell holds…'
    ],
    ['freeing', first, 'running', 'Trying batch_size = 512…'],
    [
      'a failure',
      [...first, full],
      'finding',
      'batch_size = 512 does not fit. Looking further…'
    ],
    ['a second edit', second, 'running', 'Trying batch_size = 256, try 2…'],
    [
      'a run that passed',
      [...second, passed],
      'ended',
      'batch_size = 256 fits: peak 11.2 of 14.7 GiB.'
    ],
    [
      'a run that was not measured',
      [...first, { type: 'passed', peak: null }],
      'ended',
      'batch_size = 512 fits.'
    ],
    [
      'a failure without another edit',
      [...first, full, { type: 'none' }],
      'ended',
      'Nothing is left to try: batch_size = 512 does not fit either.'
    ],
    [
      'another error',
      [...first, { type: 'failed', isOom: false }],
      'ended',
      'Stopped: with batch_size = 512 the cell failed otherwise.'
    ],
    [
      'a refusal',
      [{ type: 'refused', text: 'It is read-only.' }],
      'ended',
      'It is read-only.'
    ],
    [
      'a wish to stop',
      [...first, cancel],
      'running',
      'Stopping after this try…'
    ],
    [
      'a failure after that wish',
      [...first, cancel, full],
      'ended',
      'Canceled: the code is as it was before the last try.'
    ],
    [
      'a wish to stop before the edit',
      [cancel, found(512)],
      'ended',
      'Canceled: nothing was changed.'
    ],
    [
      'a run that passed after that wish',
      [...first, cancel, passed],
      'ended',
      'batch_size = 512 fits: peak 11.2 of 14.7 GiB.'
    ]
  ])('should be where it should after %s', (_, events, step, sentence) => {
    const fit = after(events);
    expect(fit.step).toBe(step);
    expect(fitSentence(fit, trans)).toBe(sentence);
  });

  it.each<[string, FitEvent[]]>([
    ['finding', [cancel, found(512)]],
    ['asking', [found(512), cancel, free]],
    ['asking, with a cost', [found(512), cancel, costly]],
    ['agreeing', [found(512), costly, cancel, agreed]],
    ['editing', [found(512), free, cancel, edited]],
    ['freeing', [found(512), free, edited, cancel, freed]]
  ])(
    'should have changed nothing when it is cancelled while %s',
    (_, events) => {
      const fit = after(events);
      expect(fit.end).toEqual({ kind: 'cancelled', left: 'nothing' });
      expect(fitSentence(fit, trans)).toBe('Canceled: nothing was changed.');
    }
  );

  it.each<[string, FitEvent[]]>([
    ['asking', [...first, full, found(256), cancel, costly]],
    ['running', [...first, cancel, full]]
  ])('should have tried when it is cancelled while %s later', (_, events) => {
    expect(after(events).end).toEqual({ kind: 'cancelled', left: 'tries' });
  });

  it('should say so where what was agreed to went before the cancel came', () => {
    const fit = after([found(512), costly, agreed, edited, cancel, deleted]);
    expect(fitSentence(fit, trans)).toBe(
      'Canceled: the code is as it was. What you agreed to delete was gone by then.'
    );
  });

  it('should free nothing before what may refuse', () => {
    let fit = FIT_START;
    const steps = [];
    for (const event of [found(512), costly, agreed, edited, deleted]) {
      steps.push(fit.step);
      expect(fitting(fit, { type: 'refused', text: 'No.' }).hasDeleted).toBe(
        false
      );
      fit = fitting(fit, event);
    }
    expect([...steps, fit.step]).toEqual([
      'finding',
      'asking',
      'agreeing',
      'editing',
      'freeing',
      'running'
    ]);
  });

  it('should say between which sizes a peak was', () => {
    const peak = {
      least_bytes: gib(9.1),
      most_bytes: gib(9.8),
      capacity_bytes: gib(14.7)
    };
    const fit = after([...first, { type: 'passed', peak }]);
    expect(fitSentence(fit, trans)).toBe(
      'batch_size = 512 fits: peak 9.1–9.8 GiB of 14.7 GiB.'
    );
  });

  it('should say so where a peak was sampled', () => {
    const peak = {
      least_bytes: gib(1),
      most_bytes: null,
      capacity_bytes: null
    };
    const fit = after([...first, { type: 'passed', peak }]);
    expect(fitSentence(fit, trans)).toBe(
      'batch_size = 512 fits: peak at least 1.0 GiB.'
    );
  });

  it('should stay as it ended', () => {
    const fit = after([...first, passed]);
    for (const event of [
      found(1),
      costly,
      freed,
      edited,
      full,
      cancel,
      passed
    ]) {
      expect(fitting(fit, event)).toBe(fit);
    }
  });

  it('should come to an end whatever a kernel offers', () => {
    let fit = FIT_START;
    for (let round = 0; round < 100; round++) {
      fit = [...first, full].reduce(fitting, fit);
    }
    expect(fit.end?.kind).toBe('nothing-left');
  });
});
