import { isObject } from './value';

type Part = Record<string, unknown>;

/**
 * A card that an early helper saved, as one of today: its sentences had no
 * template, the sources of its numbers were plain texts, an error that stops CUDA
 * had another name or none, a remedy changed one cell at most, none changed a file,
 * said what it sets or had an example, a suggestion was called advice, there was one
 * cause, and none named a worker.
 *
 * Nothing is checked here: what is no card stays none.
 */
export function ofEarlyHelper(data: unknown): unknown {
  return edited(data, card => ({
    sticky_error: card.sticky_error ?? card.poisoned ?? false,
    cause: edited(card.cause, ({ bytes, claim, evidence }) => ({
      claim: withTemplate(claim),
      evidence: withTemplate(evidence),
      bytes: bytes ?? null
    })),
    further_causes: card.further_causes ?? [],
    remedies: each(card.remedies, ({ diff, diffs, ...remedy }) => ({
      kind: remedy.kind === 'advice' ? 'suggestion' : remedy.kind,
      title: withTemplate(remedy.title),
      note: withTemplate(remedy.note),
      diffs: each(
        diffs ?? (isObject(diff) ? [diff] : []),
        ({ file, sets }) => ({
          file: file ?? null,
          sets: sets ?? null
        })
      ),
      example: remedy.example ?? null
    })),
    versions: card.versions ?? [],
    looking: card.looking ?? false,
    worker: card.worker ?? null,
    origin: card.origin ?? null,
    also_failed: card.also_failed ?? 0,
    measured: card.measured ?? 'kernel',
    details: each(card.details, ({ label, source }) => ({
      label: withTemplate(label),
      source: withTemplate(
        typeof source === 'string'
          ? { id: 'source.call', params: {}, text: source }
          : source
      )
    }))
  }));
}

/**
 * An event as one of today, of a helper before 2.2: it knew nothing of workers that
 * live, nor who had started CUDA, nor whom the system had ended.
 */
export function withoutWorkers(data: unknown): unknown {
  return edited(data, event => {
    const { cuda_started = null, host, workers = null } = event;
    const { workers_bytes = null } = event;
    switch (event.type) {
      case 'sample':
        return {
          workers,
          cuda_started,
          host: edited(host, ({ oom_kills = null }) => ({ oom_kills }))
        };
      case 'cell':
        return { workers_bytes };
      default:
        return {};
    }
  });
}

/** The same of what an answer has of them. */
export function withoutWorkersIn(data: unknown): unknown {
  return edited(data, ({ cell, runs, sample }) => ({
    ...(isObject(cell) && { cell: withoutWorkers(cell) }),
    ...(Array.isArray(runs) && { runs: runs.map(withoutWorkers) }),
    ...(isObject(sample) && { sample: withoutWorkers(sample) })
  }));
}

function edited(value: unknown, change: (part: Part) => Part): unknown {
  return isObject(value) ? { ...value, ...change(value) } : value;
}

function each(value: unknown, change: (part: Part) => Part): unknown {
  return Array.isArray(value) ? value.map(part => edited(part, change)) : value;
}

/** The English text is a template too: where it has no values, the same. */
function withTemplate(message: unknown): unknown {
  return edited(message, ({ template, text }) => ({
    template: template ?? text
  }));
}
