import type { IFreeingServices } from '../../freeing/services';
import type { IItem } from '../../protocol';
import type { IKernelMemory } from '../../tokens';

/** An application in which the person agrees, or does not. */
export interface IFakeServices extends IFreeingServices {
  confirm: IFreeingServices['confirm'];
  isAgreed: boolean;
  /** What the person was asked for. */
  readonly prices: string[][];
  /** What was freed, and what of it was confirmed. */
  readonly released: [string[], string[]][];
  /** In which kernels. */
  readonly releasedIn: IKernelMemory[];
  readonly inserted: string[][];
}

export function makeServices(): IFakeServices {
  const services: IFakeServices = {
    isAgreed: true,
    prices: [],
    released: [],
    releasedIn: [],
    inserted: [],
    confirm: (items: readonly IItem[]) => {
      services.prices.push(items.map(({ id }) => id));
      return Promise.resolve(services.isAgreed);
    },
    release: (memory, items, confirmed) => {
      services.releasedIn.push(memory);
      services.released.push([items, confirmed]);
      return Promise.resolve();
    },
    insertCell: (_, items) => {
      services.inserted.push(items);
    }
  };
  return services;
}
