import { keccak256 } from '../../../src/base/crypto/crypto.ts'
import { toHex } from '../../../src/base/encoding/hex.ts'
import { encodeBlock, ommersHash } from '../../../src/chain/block/block.ts'
import { createBloom } from '../../../src/chain/block/bloom.ts'
import { decodeHeader, encodeHeader } from '../../../src/chain/block/header.ts'
import { createReceipt, encodeReceipt } from '../../../src/chain/block/receipt.ts'
import { listRoot } from '../../../src/chain/block/trieRoot.ts'
import { encodeTransaction } from '../../../src/chain/transaction/encode.ts'
import { signTransaction } from '../../../src/chain/transaction/signature.ts'
import type { Commit } from '../../../src/comet/data/commit.ts'
import type { NativeHeader } from '../../../src/comet/data/nativeBlock.ts'
import { ValidatorSet } from '../../../src/light/validatorSet.ts'
import type { createLightProvider, LightProvider } from '../../../src/provider/index.ts'
import { commitOf, type Keys, signerOf, toKeys } from '../signing.ts'
import { lightAnswer, SyntheticChain } from '../syntheticChain.ts'

/** A check of the light client, and a lie that nothing else finds. */
export interface Check {
  readonly name: string
  /** What takes the check away: the file, its text, and what stands there instead. */
  readonly without: readonly (readonly [file: string, text: string, other: string])[]
  /** What the endpoint says in place of an honest answer; undefined for those that it does not change. */
  readonly lie: (method: string, params: readonly unknown[]) => unknown
  readonly options?: Partial<Parameters<typeof createLightProvider>[0]>
  readonly ask: (provider: LightProvider) => Promise<unknown>
  /** What a client says that believes the lie. */
  readonly believed: unknown
}

const heights = 20
const now = Math.floor(Date.now() / 1_000)

/** What the blocks of the chain have: a receipt with a log. */
const log = { address: new Uint8Array(20).fill(7), topics: [], data: new Uint8Array(0) }
const receiptWith = (logs: readonly (typeof log)[]): Uint8Array =>
  encodeReceipt(createReceipt({ type: 0, outcome: true, cumulativeGasUsed: 21_000n, logs }))

const transaction = signTransaction(
  {
    ...{ type: 0, chainId: 1n, nonce: 0n, gasPrice: 7n, gasLimit: 21_000n },
    ...{ to: new Uint8Array(20), value: 0n, data: new Uint8Array(0) },
  },
  new Uint8Array(32).fill(1),
)
const raw = encodeTransaction(transaction)
const other = encodeTransaction(signTransaction({ ...transaction, nonce: 1n }, new Uint8Array(32).fill(1)))

export const chain = new SyntheticChain({
  heights,
  from: now - heights,
  interval: 1,
  rotation: { every: 1_000, changes: 0 },
  contents: {
    ommersHash: ommersHash([]),
    transactionsRoot: listRoot([raw]),
    receiptsRoot: listRoot([receiptWith([log])]),
    logsBloom: createBloom([log]),
  },
})
const genuine = chain.keysAt(heights)
const strangers = toKeys(Array.from({ length: 4 }, signerOf))

const forgedEthereum = (number: number): Uint8Array =>
  encodeHeader({ ...decodeHeader(chain.ethereum(number)), gasLimit: 1n })
const forgedHash = keccak256(forgedEthereum(heights - 1))

/** The newest header with a forged Ethereum header. */
const forged = (change: Partial<NativeHeader> = {}): NativeHeader => ({
  ...chain.headerAt(heights),
  appHash: forgedHash,
  ...change,
})

const answer = (header: NativeHeader, commit: Commit, { set }: Keys): unknown =>
  lightAnswer({ header, commit }, set, forgedEthereum(header.height - 1))

/** Has the newest block be another one. */
const newest = (said: unknown): Check['lie'] => {
  return (method, [asked]) =>
    method === 'perihelion_lightBlock' && (asked as readonly string[])[0] === 'latest' ? said : undefined
}

const headHash = async (provider: LightProvider): Promise<string> => toHex((await provider.head()).hash)
const askHead = { ask: headHash, believed: toHex(forgedHash) }

/** Two of the four, as a set of their own. */
const half: Keys = {
  set: new ValidatorSet(genuine.set.source.slice(0, 2)),
  signers: genuine.signers.slice(0, 2),
}
const unsigned = (header: NativeHeader): Commit => {
  const commit = commitOf(header, genuine.signers)
  return {
    ...commit,
    signatures: commit.signatures.map((one) => ({ ...one, signature: new Uint8Array(64).fill(1) })),
  }
}
const ownSet = { validatorsHash: strangers.set.hash, nextValidatorsHash: strangers.set.hash }
const namesStrangers = forged(ownSet)
const namesNobody = forged({ validatorsHash: new Uint8Array(32).fill(9) })

const [verifyCommit, verifyHeader] = ['src/light/verifyCommit.ts', 'src/light/verifyHeader.ts'] as const
const [head, answers] = ['src/provider/proving/head.ts', 'src/provider/proving/answers.ts'] as const
const blocks = 'src/provider/proving/blocks.ts'

const honestBlock = (transactions: Uint8Array): unknown => {
  const header = decodeHeader(chain.ethereum(heights - 1))
  const block = {
    header,
    transactions: [{ transaction, raw: transactions }],
    ommers: [],
    withdrawals: undefined,
  }
  return { nodes: [], codes: [], headers: [], block: toHex(encodeBlock(block)), receipts: null }
}
const receipts = (logs: readonly (typeof log)[]): unknown => ({
  ...{ nodes: [], codes: [], headers: [], block: null },
  receipts: [toHex(receiptWith(logs))],
})
const newestBlock = `0x${(heights - 1).toString(16)}`

export const checks: readonly Check[] = [
  {
    name: 'the signature of a vote',
    without: [
      [
        verifyCommit,
        'if (!(await key.verify(this.#signBytes(signature.time), signature.signature)))',
        'if (false)',
      ],
    ],
    lie: newest(answer(forged(), unsigned(forged()), genuine)),
    ...askHead,
  },
  {
    name: 'two thirds of the power',
    without: [[verifyCommit, 'numerator: 2n, denominator: 3n', 'numerator: 1n, denominator: 3n']],
    lie: newest(
      answer(
        forged(),
        commitOf(forged(), genuine.signers, (index) => index < 2),
        genuine,
      ),
    ),
    ...askHead,
  },
  {
    name: 'the hash of the validators in their header',
    without: [[verifyHeader, 'if (!equalBytes(hash, validatorsHash))', 'if (false)']],
    lie: newest(answer(namesNobody, commitOf(namesNobody, half.signers), half)),
    ...askHead,
  },
  {
    name: 'a third of the trusted validators',
    without: [
      [verifyHeader, 'else if (!(await check.isTrustedBy(trusted.validators, trustLevel))) return false', ''],
    ],
    lie: newest(answer(namesStrangers, commitOf(namesStrangers, strangers.signers), strangers)),
    ...askHead,
  },
  {
    name: 'the validators that the header before it names',
    without: [
      [
        verifyHeader,
        'if (!equalBytes(header.validatorsHash, trusted.header.nextValidatorsHash))',
        'if (false)',
      ],
    ],
    lie: newest(answer(namesStrangers, commitOf(namesStrangers, strangers.signers), strangers)),
    options: { trust: { height: heights - 1, hash: chain.hashAt(heights - 1) } },
    ...askHead,
  },
  {
    name: 'the header that a commit is for',
    without: [[verifyHeader, 'if (!equalBytes(headerHash(header), commit.blockId.hash))', 'if (false)']],
    lie: newest(answer(forged(), commitOf(chain.headerAt(heights), genuine.signers), genuine)),
    ...askHead,
  },
  {
    name: 'the trusted hash',
    without: [
      [
        head,
        "if (trust !== 'first-use' && !equalBytes(headerHash(signed.header), trust.hash))",
        'if (false)',
      ],
    ],
    lie: () => undefined,
    options: { trust: { height: 1, hash: '12'.repeat(32) } },
    ask: headHash,
    believed: toHex(keccak256(chain.ethereum(heights - 1))),
  },
  {
    name: 'the age of the head',
    without: [[head, 'if (age <= maxAgeMs) return head', 'return head']],
    lie: newest(
      lightAnswer(
        { header: chain.headerAt(5), commit: commitOf(chain.headerAt(5), genuine.signers) },
        genuine.set,
        chain.ethereum(4),
      ),
    ),
    options: { maxAgeMs: 10_000 },
    ask: async (provider) => (await provider.head()).number,
    believed: 4,
  },
  {
    name: 'the hash of an Ethereum header',
    without: [[answers, 'if (!equalBytes(keccak256(rlp), hash))', 'if (false)']],
    lie: newest(
      lightAnswer(
        { header: chain.headerAt(heights), commit: commitOf(chain.headerAt(heights), genuine.signers) },
        genuine.set,
        forgedEthereum(heights - 1),
      ),
    ),
    ask: async (provider) => {
      const found = await provider.request({ method: 'eth_getHeaderByNumber', params: [newestBlock] })
      return (found as { readonly gasLimit: string }).gasLimit
    },
    believed: '0x1',
  },
  {
    name: 'the transactions of a block',
    without: [
      [blocks, 'if (!equalBytes(listRoot(raw), header.transactionsRoot))', 'if (false)'],
      [blocks, 'if (!isBodyOf(header, { transactions, ...body }))', 'if (false)'],
    ],
    lie: (method) => (method === 'perihelion_proofs' ? honestBlock(other) : undefined),
    ask: async (provider) => {
      const found = await provider.request({ method: 'eth_getBlockByNumber', params: [newestBlock, false] })
      return (found as { readonly transactions: unknown }).transactions
    },
    believed: [toHex(keccak256(other))],
  },
  {
    name: 'the receipts of a block, so that no log is left out',
    without: [[blocks, 'if (!equalBytes(listRoot(encoded), header.header.receiptsRoot))', 'if (false)']],
    lie: (method, [wanted]) =>
      method !== 'perihelion_proofs'
        ? undefined
        : 'block' in (wanted as object)
          ? honestBlock(raw)
          : receipts([]),
    ask: (provider) =>
      provider.request({ method: 'eth_getLogs', params: [{ fromBlock: newestBlock, toBlock: newestBlock }] }),
    believed: [],
  },
  {
    name: 'the hash of a transaction that was sent',
    without: [
      [
        'src/provider/methods/chainMethods.ts',
        "if (!equalBytes(parseData(said, 'the hash of the transaction'), hash))",
        'if (false)',
      ],
    ],
    lie: (method) => (method === 'eth_sendRawTransaction' ? toHex(keccak256(other)) : undefined),
    ask: (provider) => provider.request({ method: 'eth_sendRawTransaction', params: [toHex(raw)] }),
    believed: toHex(keccak256(raw)),
  },
]
