import { isObject } from './value';

type Part = Record<string, unknown>;

/**
 * A card that an early helper saved, as one of today: its sentences had no
 * template, the sources of its numbers were plain texts, an error that stops CUDA
 * had another name or none, a remedy changed one cell at most, none changed a file,
 * said what it sets or why it was no button, there was one cause, and none named a
 * worker.
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
    remedies: each(card.remedies, ({ diff, diffs, note, reason, title }) => ({
      title: withTemplate(title),
      note: withTemplate(note),
      diffs: each(
        diffs ?? (isObject(diff) ? [diff] : []),
        ({ file, sets }) => ({
          file: file ?? null,
          sets: sets ?? null
        })
      ),
      reason: reason ?? null
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
