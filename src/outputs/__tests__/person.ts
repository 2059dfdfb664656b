/** Let time pass, on fake timers. */
export function pass(ms: number): Promise<void> {
  return jest.advanceTimersByTimeAsync(ms);
}

/** The labels of the buttons that an output shows. */
export function buttonsIn(host: HTMLElement): string[] {
  return [...host.querySelectorAll('button')].map(
    node => node.textContent ?? ''
  );
}

/** Press the button with this label, and wait for the reply to its request. */
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

/** Give the page a clipboard; returns the texts written to it. */
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

/** Remove the clipboard; a page of jsdom has none. */
export function takeClipboard(): void {
  Reflect.deleteProperty(navigator, 'clipboard');
}
