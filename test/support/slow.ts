import { describe, type TestOptions, test } from 'vitest'

/**
 * The options of a test, or of a group, that takes seconds: `npm test` leaves it out, `npm run test:all` has it. Every
 * suite keeps tests without it. A group is chosen whole where its tests build on one another.
 */
export const slow = { tags: ['slow'] }

type Arguments<Case> = Case extends readonly unknown[] ? [...Case] : [Case]

/** What `test.each` and `describe.each` have in common. */
interface Kind {
  each(cases: readonly unknown[]): (name: string, options: TestOptions, run: never) => void
}

const some =
  (kind: Kind) =>
  <const Case>(count: number, cases: readonly Case[]) =>
  (name: string, run: (...args: Arguments<Case>) => unknown, options: TestOptions = {}): void => {
    kind.each(cases.slice(0, count))(name, options, run as never)
    kind.each(cases.slice(count))(name, { ...options, ...slow }, run as never)
  }

/** `test.each` of many cases of one kind, of which the first `count` stand for the others in `npm test`. */
export const testSome = some(test as unknown as Kind)

/** The same of `describe.each`. */
export const describeSome = some(describe as unknown as Kind)
