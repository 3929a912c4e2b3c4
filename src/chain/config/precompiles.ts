import { type Fork, since } from './forks.ts'

/** The precompiled contracts, by address as a small integer, with the fork that added each. */
const firstForks: readonly (readonly [address: number, first: Fork])[] = [
  [0x01, 'frontier'],
  [0x02, 'frontier'],
  [0x03, 'frontier'],
  [0x04, 'frontier'],
  [0x05, 'byzantium'],
  [0x06, 'byzantium'],
  [0x07, 'byzantium'],
  [0x08, 'byzantium'],
  [0x09, 'istanbul'],
  [0x0a, 'cancun'],
  [0x0b, 'prague'],
  [0x0c, 'prague'],
  [0x0d, 'prague'],
  [0x0e, 'prague'],
  [0x0f, 'prague'],
  [0x10, 'prague'],
  [0x11, 'prague'],
  [0x100, 'osaka'],
]

/** Returns the addresses of a fork's precompiles, for callers that have no EVM. */
export const precompileAddressesAt = (fork: Fork): readonly number[] =>
  firstForks.filter(([, first]) => since(fork, first)).map(([address]) => address)
