import type { IFreeingServices } from '../../freeing/services';
import type { IItem } from '../../protocol';

/** An application in which the person agrees, or does not. */
export interface IFakeServices extends IFreeingServices {
  isAgreed: boolean;
  /** What the person was asked for. */
  readonly prices: string[][];
  /** What was freed, and what of it was confirmed. */
  readonly released: [string[], string[]][];
  readonly inserted: string[][];
}

export function makeServices(): IFakeServices {
  const services: IFakeServices = {
    isAgreed: true,
    prices: [],
    released: [],
    inserted: [],
    confirm: (items: readonly IItem[]) => {
      services.prices.push(items.map(({ id }) => id));
      return Promise.resolve(services.isAgreed);
    },
    release: (items, confirmed) => {
      services.released.push([items, confirmed]);
      return Promise.resolve();
    },
    insertCell: items => {
      services.inserted.push(items);
    }
  };
  return services;
}
