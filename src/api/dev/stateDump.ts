import { gunzipSync, gzipSync } from 'node:zlib'
import { z } from 'zod'
import { emptyBytes, equalBytes, maxUint64 } from '../../base/encoding/bytes.ts'
import { fromHex, toHex, toQuantity } from '../../base/encoding/hex.ts'
import { errorCode } from '../../base/files/writeAll.ts'
import { hasMoreJsonValuesInText } from '../../base/json/jsonTokens.ts'
import { TimeSlice } from '../../base/threads/timeSlice.ts'
import type { Header } from '../../chain/block/header.ts'
import type { Chain } from '../../chain/port/chain.ts'
import type { StateView } from '../../chain/port/state.ts'
import type { AccountEdit } from '../../chain/state/accountEdit.ts'
import { emptyCodeHash } from '../../chain/state/evmState.ts'
import { callFailed, invalidParams, limitExceeded } from '../../rpc/errors.ts'
import { limitedRecord } from '../../rpc/limitedTypes.ts'
import { latest } from '../answers/lookup.ts'

/**
 * The state of a chain in the form of `anvil --dump-state`: JSON, which `anvil_dumpState` compresses. Accounts and head are
 * in it; the blocks before the head are not, since no other client could take them as its own.
 */

const pageSize = 512
const firstKey = new Uint8Array(32)

/** The largest dump that is made, as JSON. */
const maxDumpBytes = 256 * 2 ** 20

/**
 * What a dump that is loaded may hold. Its text is compressed, so that the size of the request says nothing: 175 KB of it
 * were 60 million objects, which held the event loop for minutes and took gigabytes.
 */
const maxLoadedBytes = 64 * 2 ** 20
/** The objects, lists and values of its text; blocks and transactions of anvil, which are not read, are among them. */
const maxLoadedValues = 1_000_000
/** Its accounts and slots. */
const maxLoadedEntries = 150_000

interface DumpedAccount {
  readonly nonce: number
  readonly balance: string
  readonly code: string
  readonly storage: Readonly<Record<string, string>>
}

/** Returns the state of the head. It works in slices, so that other calls can run. */
export const dumpState = async (chain: Chain, signal: AbortSignal): Promise<Uint8Array> => {
  const { number } = chain.head()
  const header = chain.blocks.header(number)
  if (header === undefined) throw callFailed('header not found')
  const state = await chain.state(latest)
  const accounts: Record<string, DumpedAccount> = {}
  const slice = new TimeSlice()
  let size = 0
  for (let start: Uint8Array | undefined = firstKey; start !== undefined; ) {
    const page = await state.accounts(start, pageSize)
    for (const { address, nonce, balance, codeHash } of page.accounts) {
      const code = equalBytes(codeHash, emptyCodeHash) ? emptyBytes : await state.code(address)
      const storage = await dumpSlots(state, address, slice)
      accounts[toHex(address)] = {
        nonce: Number(nonce),
        balance: toQuantity(balance),
        code: toHex(code),
        storage,
      }
      size += 2 * code.length + 150 * Object.keys(storage).length + 150
      if (size > maxDumpBytes)
        throw limitExceeded(`the state is larger than ${maxDumpBytes / 2 ** 20} MB: copy the home instead`)
      if (slice.isOver) await slice.next()
      signal.throwIfAborted()
    }
    start = page.next
  }
  const json = {
    block: toBlockEnvironment(header),
    accounts,
    best_block_number: number,
    blocks: [{ header: toHeaderJson(header), transactions: [], ommers: [] }],
    transactions: [],
  }
  return gzipSync(Buffer.from(JSON.stringify(json)))
}

const dumpSlots = async (
  state: StateView,
  address: Uint8Array,
  slice: TimeSlice,
): Promise<Record<string, string>> => {
  const storage: Record<string, string> = {}
  for (let start: Uint8Array | undefined = firstKey; start !== undefined; ) {
    const page = await state.slots(address, start, pageSize)
    for (const { slot, value } of page.slots) storage[toHex(slot)] = toHex(value)
    if (slice.isOver) await slice.next()
    start = page.next
  }
  return storage
}

const toBlockEnvironment = (header: Header) => ({
  number: toQuantity(header.number),
  beneficiary: toHex(header.beneficiary),
  timestamp: toQuantity(header.timestamp),
  gas_limit: Number(header.gasLimit),
  basefee: Number(header.baseFeePerGas ?? 0n),
  difficulty: toQuantity(header.difficulty),
  prevrandao: toHex(header.mixHash),
  blob_excess_gas_and_price:
    header.excessBlobGas === undefined
      ? null
      : { excess_blob_gas: Number(header.excessBlobGas), blob_gasprice: 1 },
})

const toHeaderJson = (header: Header): Record<string, string> => {
  const members: Record<string, string> = {
    parentHash: toHex(header.parentHash),
    sha3Uncles: toHex(header.ommersHash),
    miner: toHex(header.beneficiary),
    stateRoot: toHex(header.stateRoot),
    transactionsRoot: toHex(header.transactionsRoot),
    receiptsRoot: toHex(header.receiptsRoot),
    logsBloom: toHex(header.logsBloom),
    difficulty: toQuantity(header.difficulty),
    number: toQuantity(header.number),
    gasLimit: toQuantity(header.gasLimit),
    gasUsed: toQuantity(header.gasUsed),
    timestamp: toQuantity(header.timestamp),
    extraData: toHex(header.extraData),
    mixHash: toHex(header.mixHash),
    nonce: toHex(header.nonce),
  }
  const { baseFeePerGas, withdrawalsRoot, blobGasUsed, excessBlobGas, parentBeaconBlockRoot, requestsHash } =
    header
  if (baseFeePerGas !== undefined) members.baseFeePerGas = toQuantity(baseFeePerGas)
  if (withdrawalsRoot !== undefined) members.withdrawalsRoot = toHex(withdrawalsRoot)
  if (blobGasUsed !== undefined) members.blobGasUsed = toQuantity(blobGasUsed)
  if (excessBlobGas !== undefined) members.excessBlobGas = toQuantity(excessBlobGas)
  if (parentBeaconBlockRoot !== undefined) members.parentBeaconBlockRoot = toHex(parentBeaconBlockRoot)
  if (requestsHash !== undefined) members.requestsHash = toHex(requestsHash)
  return members
}

/** A number as anvil and older versions of it wrote it: a JSON number or hex. */
const integer = z.union([z.int().min(0), z.string().regex(/^0x[0-9a-fA-F]{1,64}$/)]).transform(BigInt)
const uint64 = integer.refine((value) => value <= maxUint64, 'expected at most 64 bits')
const bytes = z
  .string()
  .regex(/^0x(?:[0-9a-fA-F]{2})*$/)
  .transform(fromHex)
const word = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/)
  .transform((text) => fromHex(`0x${text.slice(2).padStart(64, '0')}`))

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform(fromHex)

const dumpSchema = z.object({
  block: z
    .looseObject({
      number: integer.optional(),
      timestamp: integer.optional(),
      basefee: uint64.optional(),
      gas_limit: uint64.optional(),
      beneficiary: address.optional(),
      // The name of older versions.
      coinbase: address.optional(),
    })
    .nullish(),
  accounts: limitedRecord(
    z.string().regex(/^0x[0-9a-fA-F]{40}$/),
    z.object({
      nonce: uint64,
      balance: integer,
      code: bytes,
      storage: limitedRecord(z.string(), word, { max: maxLoadedEntries }),
    }),
    { max: maxLoadedEntries },
  ),
  best_block_number: integer.nullish(),
})

/** A state that was read from a dump. */
export interface LoadedState {
  readonly edits: readonly AccountEdit[]
  /** What is known of its head. */
  readonly number: number | undefined
  readonly time: number | undefined
  readonly baseFee: bigint | undefined
  readonly gasLimit: bigint | undefined
  readonly beneficiary: Uint8Array | undefined
}

/** Reads a dump, compressed or not. */
export const parseDump = (dump: Uint8Array): LoadedState => {
  const { block, accounts, best_block_number: best } = dumpSchema.parse(readDump(dump))
  const number = best ?? block?.number
  return {
    edits: Object.entries(accounts).map(([address, { nonce, balance, code, storage }]) => ({
      address: fromHex(address),
      nonce,
      balance,
      code,
      storage: Object.entries(storage).map(([slot, value]) => [word.parse(slot), value] as const),
    })),
    number: number === undefined ? undefined : Number(number),
    time: block?.timestamp === undefined ? undefined : Number(block.timestamp),
    baseFee: block?.basefee,
    gasLimit: block?.gas_limit,
    beneficiary: block?.beneficiary ?? block?.coinbase,
  }
}

const readDump = (dump: Uint8Array): unknown => {
  const text = inflate(dump)
  if (hasMoreJsonValuesInText(text, maxLoadedValues))
    throw limitExceeded(`the state holds more than ${maxLoadedValues} values`)
  const read = parseJson(text)
  if (countEntries(read) > maxLoadedEntries)
    throw limitExceeded(`the state holds more than ${maxLoadedEntries} accounts and slots`)
  return read
}

const inflate = (dump: Uint8Array): string => {
  const isCompressed = dump[0] === 0x1f && dump[1] === 0x8b
  try {
    return (
      isCompressed ? gunzipSync(dump, { maxOutputLength: maxLoadedBytes }) : Buffer.from(dump)
    ).toString()
  } catch (error) {
    if (errorCode(error) === 'ERR_BUFFER_TOO_LARGE')
      throw limitExceeded(`the state is larger than ${maxLoadedBytes / 2 ** 20} MB`)
    throw undecodable()
  }
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw undecodable()
  }
}

const undecodable = () => invalidParams('parameter 1 (state): Failed to decode state')

/** Returns the number of accounts and slots, of whatever type they are. */
const countEntries = (dump: unknown): number => {
  const accounts = Object.values(Object(Object(dump).accounts))
  return accounts.reduce<number>(
    (sum, account) => sum + Object.keys(Object(Object(account).storage)).length,
    accounts.length,
  )
}
