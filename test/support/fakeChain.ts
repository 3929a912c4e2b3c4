import type { Chain } from '../../src/chain/port/chain.ts'

/** Returns the given members; reading any other member throws an error with its name. */
type Parts = { readonly [Name in keyof Chain]?: Partial<Chain[Name]> }

const only = <T extends object>(part: Partial<T>, name: string): T =>
  new Proxy(part as T, {
    get: (target, member) => {
      if (member in target) return Reflect.get(target, member)
      throw new Error(`this test has no ${name}.${String(member)}`)
    },
  })

/** Returns a chain with only the members that a test needs. */
export const fakeChain = (parts: Parts): Chain =>
  only<Chain>(
    {
      // No chain but one for development has these.
      dev: undefined,
      isModified: undefined as never,
      trust: undefined as never,
      ...(Object.fromEntries(
        Object.entries(parts).map(([name, part]) => [
          name,
          typeof part === 'object' ? only<object>(part, name) : part,
        ]),
      ) as Partial<Chain>), // the same members, each strict
    },
    'chain',
  )
