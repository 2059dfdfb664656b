/** Let time go on, on fake timers. */
export function pass(ms: number): Promise<void> {
  return jest.advanceTimersByTimeAsync(ms);
}

/** The labels of the buttons that an output shows. */
export function buttonsIn(host: HTMLElement): string[] {
  return [...host.querySelectorAll('button')].map(
    node => node.textContent ?? ''
  );
}

/** Press the button with this label, and let what it asks for be answered. */
export async function pressIn(host: HTMLElement, label: string): Promise<void> {
  const found = [...host.querySelectorAll('button')].find(
    node => node.textContent === label
  );
  if (!found) {
    throw new Error(`No button ${label} among ${buttonsIn(host).join(', ')}`);
  }
  found.click();
  await pass(0);
  await pass(0);
}

/** Give the page a clipboard; returns what is written to it. */
export function giveClipboard(): readonly string[] {
  const written: string[] = [];
  Object.defineProperty(navigator, 'clipboard', {
    configurable: true,
    value: {
      writeText: (text: string) => {
        written.push(text);
        return Promise.resolve();
      }
    }
  });
  return written;
}

/** A page of jsdom has none. */
export function takeClipboard(): void {
  Reflect.deleteProperty(navigator, 'clipboard');
}
