import { emptyBytes } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'
import type { Header } from '../../chain/block/header.ts'
import { parseChainConfig } from '../../chain/config/chainConfig.ts'
import type { JsonObject } from '../../chain/config/gethJson.ts'
import type { Genesis } from '../../chain/genesis/genesis.ts'
import type { Account } from '../../chain/state/evmState.ts'
import type { StateReader } from '../../state/reading/stateReader.ts'

/** The genesis file of a chain in geth's format: its config, its first header, and the accounts at block zero. */

const pageSize = 1_000
const start = new Uint8Array(32)

const quantity = (value: bigint): string => `0x${value.toString(16)}`

/**
 * Returns the blob parameters of the forks, because geth rejects a config that has a fork with blobs but not its
 * parameters (EIP-7840). Those of forks that are not scheduled stay: a schedule of later may need them.
 */
const toBlobSchedule = (source: JsonObject): JsonObject => {
  const named = parseChainConfig(source).activations.flatMap(({ name, blobs }) =>
    blobs === undefined
      ? []
      : [[name, { ...blobs, baseFeeUpdateFraction: Number(blobs.baseFeeUpdateFraction) }] as const],
  )
  const given = source.blobSchedule as JsonObject | null | undefined // an object, or it would not have been parsed
  return named.length === 0 ? {} : { blobSchedule: { ...given, ...Object.fromEntries(named) } }
}

/**
 * Renders the config. geth reads long integers only as numbers, but here they are strings, because JSON.parse rounds
 * them.
 */
const configText = (config: string, timesRepeat: boolean): string => {
  const source = JSON.parse(config) as JsonObject
  const full = {
    ...source,
    ...toBlobSchedule(source),
    ...(timesRepeat && {
      perihelion: { ...(source.perihelion as object | undefined), timesMayRepeat: true },
    }),
  }
  return JSON.stringify(full).replace(/"(\d{16,})"/g, '$1')
}

const headerMembers = (header: Header): Record<string, string> => ({
  nonce: toHex(header.nonce),
  timestamp: quantity(header.timestamp),
  extraData: toHex(header.extraData),
  gasLimit: quantity(header.gasLimit),
  gasUsed: quantity(header.gasUsed),
  difficulty: quantity(header.difficulty),
  mixHash: toHex(header.mixHash),
  coinbase: toHex(header.beneficiary),
  parentHash: toHex(header.parentHash),
  number: quantity(header.number),
  ...(header.baseFeePerGas !== undefined && { baseFeePerGas: quantity(header.baseFeePerGas) }),
  ...(header.excessBlobGas !== undefined && { excessBlobGas: quantity(header.excessBlobGas) }),
  ...(header.blobGasUsed !== undefined && { blobGasUsed: quantity(header.blobGasUsed) }),
})

/** Renders a value as 32 bytes; stored values have no leading zeros. */
const word = (value: Uint8Array): string => `0x${toHex(value).slice(2).padStart(64, '0')}`

const readStorage = (state: StateReader, address: Uint8Array): Record<string, string> => {
  const storage: Record<string, string> = {}
  for (let from: Uint8Array | undefined = start; from !== undefined; ) {
    const { items, next } = state.storageRange(address, from, pageSize)
    for (const { slot, value } of items) storage[toHex(slot)] = word(value)
    from = next
  }
  return storage
}

const accountText = (
  address: Uint8Array,
  { balance, nonce }: Pick<Account, 'balance' | 'nonce'>,
  code: Uint8Array,
  storage: Readonly<Record<string, string>>,
): string => {
  const members = {
    balance: quantity(balance),
    ...(nonce > 0n && { nonce: quantity(nonce) }),
    ...(code.length > 0 && { code: toHex(code) }),
    ...(Object.keys(storage).length > 0 && { storage }),
  }
  return `${JSON.stringify(toHex(address))}:${JSON.stringify(members)}`
}

function* accountTexts(state: StateReader): Generator<string> {
  for (let from: Uint8Array | undefined = start; from !== undefined; ) {
    const { items, next } = state.accountRange(from, pageSize)
    for (const { address, account } of items) {
      yield accountText(address, account, state.code(account.codeHash), readStorage(state, address))
    }
    from = next
  }
}

/** Renders the genesis file of a chain that has no home yet. */
export const renderNewGenesis = ({ config, changes, header }: Genesis): string => {
  const codes = new Map(changes.code.map(([hash, code]) => [toHex(hash), code]))
  const accounts = changes.accounts.flatMap(({ address, account, storage }) => {
    if (account === undefined) return []
    const slots = Object.fromEntries(storage.map(([slot, value]) => [toHex(slot), word(value)]))
    return [accountText(address, account, codes.get(toHex(account.codeHash)) ?? emptyBytes, slots)]
  })
  const members = JSON.stringify(headerMembers(header(start))).slice(1, -1)
  const source = configText(JSON.stringify(config.source), false)
  return `{"config":${source},\n${members},\n"alloc":{\n${accounts.join(',\n')}\n}}\n`
}

/** Renders the genesis file in pieces, because there may be many accounts. */
export function* renderGenesis(
  header: Header,
  config: string,
  state: StateReader,
  timesRepeat: boolean,
): Generator<string> {
  const members = JSON.stringify(headerMembers(header)).slice(1, -1)
  yield `{"config":${configText(config, timesRepeat)},\n${members},\n"alloc":{`
  let separator = '\n'
  for (const text of accountTexts(state)) {
    yield `${separator}${text}`
    separator = ',\n'
  }
  yield '\n}}\n'
}
