import { createBlockFromRLP } from '@ethereumjs/block'
import { createCustomCommon, Hardfork, Mainnet } from '@ethereumjs/common'
import { createEVM, NobleBLS, NobleBN254 } from '@ethereumjs/evm'
import { MerklePatriciaTrie } from '@ethereumjs/mpt'
import { Caches, MerkleStateManager } from '@ethereumjs/statemanager'
import { ValueEncoding } from '@ethereumjs/util'
import { createVM, runBlock } from '@ethereumjs/vm'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { fromHex } from '../../src/base/encoding/hex.ts'
import { decodeHeader } from '../../src/chain/block/header.ts'
import { nobleKzg } from '../support/evm/nobleKzg.ts'
import type { ExecutionWitness } from './verifier.ts'

/** The forks of the chains here. */
const hardforks = { osaka: Hardfork.Osaka, shanghai: Hardfork.Shanghai } as const

const nameOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** The nodes and codes of a witness as the database of a trie, and what is written to it. */
const createDatabase = ({ state, codes }: ExecutionWitness) => {
  const rows = new Map<string, Uint8Array>()
  for (const bytes of [...state, ...codes].map(fromHex)) rows.set(nameOf(keccak_256(bytes)), bytes)
  const database = {
    get: async (key: string) => rows.get(key),
    put: async (key: string, value: Uint8Array) => {
      rows.set(key, value)
    },
    del: async () => {},
    batch: async (operations: readonly { type: string; key: string; value: Uint8Array }[]) => {
      for (const { type, key, value } of operations) if (type === 'put') rows.set(key, value)
    },
    shallowCopy: () => database,
    open: async () => {},
  }
  return database
}

/** Caches that give what is set before what is removed, so that no branch is merged in between. */
const createCaches = (): Caches => {
  const caches = new Caches()
  const { storage, account } = caches
  if (storage === undefined || account === undefined) throw new Error('there is no cache')
  // The state manager writes to the trie at once what `put` returns nothing for. A branch would then be merged that a later
  // transaction of the block fills again; a block has one root, at its end.
  const putStorage = storage.put.bind(storage)
  Object.assign(storage, {
    put: (...slot: Parameters<typeof putStorage>) => {
      putStorage(...slot)
      return true
    },
  })
  const flushStorage = storage.flush.bind(storage)
  const isRemoved = (value: Uint8Array | undefined): number =>
    value === undefined || value.length === 0 || (value.length === 1 && value[0] === 0x80) ? 1 : 0
  storage.flush = () => flushStorage().sort((a, b) => isRemoved(a[2]) - isRemoved(b[2]))
  const flushAccounts = account.flush.bind(account)
  account.flush = () =>
    flushAccounts().sort((a, b) => isRemoved(a[1].accountRLP) - isRemoved(b[1].accountRLP))
  return caches
}

/** Executes a block on @ethereumjs/vm with nothing but its witness; throws if anything is missing or differs. */
export const verifyOnVm = async (
  fork: keyof typeof hardforks,
  chainId: bigint,
  blockRlp: Uint8Array,
  witness: ExecutionWitness,
): Promise<void> => {
  const common = createCustomCommon({ chainId: Number(chainId), name: 'witness' }, Mainnet, {
    hardfork: hardforks[fork],
    customCrypto: { kzg: nobleKzg as never },
  })
  const headers = witness.headers.map(fromHex)
  const hashes = new Map(headers.map((rlp) => [decodeHeader(rlp).number, keccak_256(rlp)]))
  const parent = headers.at(-1)
  if (parent === undefined) throw new Error('the witness has no header')
  const { stateRoot: root } = decodeHeader(parent)
  const blockchain = {
    getBlock: async (number: number | bigint) => {
      const hash = hashes.get(BigInt(number))
      if (hash === undefined) throw new Error(`the witness has no header ${number}`)
      return { hash: () => hash }
    },
    putBlock: async () => undefined,
    shallowCopy: () => blockchain,
  }
  const trie = new MerklePatriciaTrie({
    db: createDatabase(witness) as never,
    root,
    useKeyHashing: true,
    valueEncoding: ValueEncoding.Bytes,
  })
  const stateManager = new MerkleStateManager({
    common,
    trie,
    caches: createCaches(),
    prefixCodeHashes: false,
    prefixStorageTrieKeys: false,
  })
  const evm = await createEVM({
    common,
    stateManager,
    blockchain: blockchain as never,
    bls: new NobleBLS(),
    bn254: new NobleBN254(),
  })
  const vm = await createVM({ common, evm, stateManager, blockchain: blockchain as never })
  const block = createBlockFromRLP(blockRlp, { common, skipConsensusFormatValidation: true })
  await runBlock(vm, { block, skipBlockValidation: true, skipHeaderValidation: true })
}
