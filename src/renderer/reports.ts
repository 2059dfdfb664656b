import type { ISessionContextDialogs } from '@jupyterlab/apputils';
import type { ITranslator } from '@jupyterlab/translation';

import { Announcer } from '../lab/announcer';
import type { ReleaseSessions } from '../release/sessions';
import { words } from '../text/messages';
import type { IGpuMemory } from '../tokens';
import { type DeskOf, desksOf } from './desk';
import type { IReportOffers } from './offer';
import { Offers } from './offers';
import type { Places } from './place';
import { ReportRenderer } from './renderer';

import '../../style/report/report.css';
import '../../style/report/legend.css';
import '../../style/report/causes.css';
import '../../style/report/remedy.css';
import '../../style/report/diff.css';
import '../../style/report/outcome.css';
import '../../style/report/details.css';
import '../../style/renderer.css';

interface IOptions {
  readonly memory: IGpuMemory;
  readonly sessions: ReleaseSessions;
  readonly places: Places;
  readonly dialogs: ISessionContextDialogs;
  readonly translator: ITranslator;
  readonly offers: IReportOffers;
}

/** All reports of a page and what they share; loaded with the first of them. */
export class Reports {
  constructor(private readonly _options: IOptions) {
    const { offers, sessions, translator } = _options;
    this._words = words(translator.load('gpu-headroom'));
    this._offers = new Offers(offers);
    this._deskOf = desksOf(sessions, translator);
  }

  /** Create the renderer of one report, owned by the caller. */
  create(): ReportRenderer {
    const { memory, places, dialogs } = this._options;
    return new ReportRenderer({
      memory,
      places,
      dialogs,
      deskOf: this._deskOf,
      offers: this._offers,
      announcer: this._announcer,
      words: this._words
    });
  }

  private readonly _words;
  private readonly _offers: Offers;
  private readonly _deskOf: DeskOf;
  private readonly _announcer = new Announcer();
}
