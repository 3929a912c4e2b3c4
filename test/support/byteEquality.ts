import { expect } from 'vitest'

/** Long byte arrays are compared as bytes: the matchers go through them member by member, which takes seconds for a megabyte. */
expect.addEqualityTesters([
  (a: unknown, b: unknown): true | undefined =>
    a instanceof Uint8Array &&
    b instanceof Uint8Array &&
    a.constructor === b.constructor &&
    Buffer.compare(a, b) === 0
      ? true
      : undefined,
])
