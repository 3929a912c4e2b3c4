import type { Chain } from '../../src/chain/port/chain.ts'

/** Only what a test is about; whatever else is asked for fails by name. */
type Parts = { readonly [Name in keyof Chain]?: Partial<Chain[Name]> }

const only = <T extends object>(part: Partial<T>, name: string): T =>
  new Proxy(part as T, {
    get: (target, member) => {
      if (member in target) return Reflect.get(target, member)
      throw new Error(`this test has no ${name}.${String(member)}`)
    },
  })

/** A chain of a few lines, for a single test. */
export const fakeChain = (parts: Parts): Chain =>
  only<Chain>(
    Object.fromEntries(
      Object.entries(parts).map(([name, part]) => [
        name,
        typeof part === 'object' ? only<object>(part, name) : part,
      ]),
    ) as Partial<Chain>, // the same parts, each made strict
    'chain',
  )
