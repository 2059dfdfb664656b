import type { IMessage } from '../protocol';
import { type Check, flag, isObject, number, shape, text } from '../shape';

const params: Check<IMessage['params']> = (value, path) => {
  if (!isObject(value)) {
    return `${path} is not an object`;
  }
  const plain = Object.values(value).every(
    item =>
      item === null || [text, flag, number].some(check => !check(item, path))
  );
  return plain ? null : `${path} holds more than plain values`;
};

export const message = shape<IMessage>({
  id: text,
  template: text,
  params,
  text
});
