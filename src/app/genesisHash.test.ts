import { describe, expect, it } from 'vitest'
import { toHex } from '../base/encoding/hex.ts'
import { createDevGenesis } from '../chain/genesis/devGenesis.ts'
import { type Genesis, parseGenesis } from '../chain/genesis/genesis.ts'
import { toValidatorConfigJson } from '../chain/validators/validatorConfig.ts'
import { renderNewGenesis } from './export/genesis.ts'
import { genesisOfChain } from './genesisHash.ts'

const validators = toValidatorConfigJson({
  validators: [{ publicKey: new Uint8Array(32).fill(9), power: 1n, reward: new Uint8Array(20) }],
  admin: new Uint8Array(20).fill(1),
})
const dev = createDevGenesis({
  chainId: 7n,
  accounts: [],
  coinbase: new Uint8Array(20),
  timestamp: 100n,
  fork: 'prague',
  validators,
})
const bpo1 = { target: 10, max: 15, baseFeeUpdateFraction: 8_346_193 }

/** A file in which the contracts are not written out. */
const fileWith = (members: object): string =>
  JSON.stringify({ config: { ...dev.config.source, ...members }, timestamp: '0x64', alloc: {} })
const noHash = new Uint8Array(32)
const hashOf = (genesis: Genesis): string => toHex(genesisOfChain(genesis, noHash).hash)
const olderOf = (genesis: Genesis): Genesis => ({
  ...genesis,
  changes: (genesis.changesWithoutRules as () => never)(),
})

describe('the first block of a chain with validators', () => {
  it('commits to the blob figures, also those of forks that are not scheduled', () => {
    const hashes = [{}, { blobSchedule: { bpo1 } }, { blobSchedule: { bpo1: { ...bpo1, max: 16 } } }].map(
      (members) => hashOf(parseGenesis(fileWith(members))),
    )
    expect(new Set(hashes).size).toBe(3)
  })

  it('is the same from a file in which its contracts are written out', () => {
    const genesis = parseGenesis(fileWith({ blobSchedule: { bpo1 } }))
    const written = renderNewGenesis(genesis)
    expect(JSON.parse(written).config.blobSchedule).toMatchObject({ bpo1 })
    expect(hashOf(parseGenesis(written))).toBe(hashOf(genesis))
  })

  it('is rejected from such a file whose figures were changed afterwards', () => {
    const written = JSON.parse(renderNewGenesis(parseGenesis(fileWith({ blobSchedule: { bpo1 } }))))
    written.config.blobSchedule.bpo1.max = 16
    expect(() => parseGenesis(JSON.stringify(written))).toThrow(
      /was made for other rules than those of config .*: to begin a new chain with this config, remove 0x50.*01 and 0x50.*02 from alloc/,
    )
  })

  it('stays what an older version made of it', () => {
    const genesis = parseGenesis(fileWith({ blobSchedule: { bpo1 } }))
    const older = olderOf(genesis)
    expect(hashOf(older)).not.toBe(hashOf(genesis))
    // The home of such a chain is opened with the file that it began with,
    const { hash } = genesisOfChain(older, noHash)
    expect(toHex(genesisOfChain(genesis, hash).hash)).toBe(toHex(hash))
    // and a new home begins it with one in which the contracts are written out.
    expect(hashOf(parseGenesis(renderNewGenesis(older)))).toBe(toHex(hash))
  })
})
