import { toHex } from '../../../../src/base/encoding/hex.ts'
import type { Traits } from '../families.ts'
import type { ModelLog, Outcome } from '../model.ts'
import { any, blob, join, nested, text, uint } from '../wire.ts'
import type { SignedTransaction } from './signing.ts'

/** What a chain of a family says of a transaction that was executed (section 3.2). */

export interface ReplayEvent {
  readonly type: string
  /** Values are bytes: a bloom is not text. */
  readonly attributes: readonly (readonly [key: string, value: string | Uint8Array])[]
}

export interface ReplayResult {
  readonly code: number
  readonly codespace: string
  readonly data: Uint8Array
  readonly log: string
  readonly gasWanted: bigint
  readonly gasUsed: bigint
  readonly events: readonly ReplayEvent[]
}

export const event = (type: string, ...attributes: ReplayEvent['attributes']): ReplayEvent => ({
  type,
  attributes,
})

/** An Ethereum message with its outcome and its place in the Ethereum block. */
export interface Executed {
  readonly tx: SignedTransaction
  readonly outcome: Outcome
  readonly index: number
  readonly firstLog: number
}

/** What a response repeats of its block. */
export interface ResponseBlock {
  readonly height: number
  readonly hash: Uint8Array
  readonly seconds: number
  /** So many bytes are returned by each message instead of what it returned. */
  readonly returnBytes?: number | undefined
}

const zeroHash = `0x${'0'.repeat(64)}`

/** Upper case by EIP-55 is not made here: readers must not depend on it. */
const addressText = (address: Uint8Array): string => toHex(address)

const encodeLog = (
  log: ModelLog,
  at: number,
  { tx, index }: Executed,
  block: ResponseBlock,
  traits: Traits,
) =>
  join(
    text(1, addressText(log.address)),
    ...log.topics.map((topic) => text(2, toHex(topic))),
    blob(3, log.data),
    uint(4, traits.bareLogs ? 0 : block.height),
    text(5, traits.bareLogs ? zeroHash : toHex(tx.hash)),
    uint(6, index),
    text(7, traits.bareLogs ? zeroHash : toHex(block.hash)),
    uint(8, at),
    ...(traits.longResponse && !traits.bareLogs ? [uint(10, block.seconds)] : []),
  )

const encodeResponse = (executed: Executed, block: ResponseBlock, traits: Traits): Uint8Array => {
  const { tx, outcome, firstLog } = executed
  return join(
    text(1, toHex(tx.hash)),
    ...outcome.logs.map((log, at) => nested(2, encodeLog(log, firstLog + at, executed, block, traits))),
    blob(3, block.returnBytes === undefined ? outcome.output : new Uint8Array(block.returnBytes).fill(0xa5)),
    text(4, outcome.error),
    uint(5, outcome.chargedGas),
    ...(traits.longResponse ? [uint(6, outcome.usedGas), blob(7, block.hash), uint(8, block.seconds)] : []),
  )
}

/** TxMsgData; `old`: as the SDK wrote it up to 0.45. */
export const encodeData = (
  executed: readonly Executed[],
  block: ResponseBlock,
  traits: Traits,
  old: boolean,
): Uint8Array =>
  join(
    ...executed.map((entry) => {
      const response = encodeResponse(entry, block, traits)
      return old
        ? nested(1, join(text(1, `/${traits.evmPackage}.MsgEthereumTx`), blob(2, response)))
        : nested(2, any(`/${traits.evmPackage}.MsgEthereumTxResponse`, response))
    }),
  )

/** What the ante handler says; all that there is where the gas of a block ran out. */
export const anteEvents = (executed: readonly Executed[], { denom }: Traits): ReplayEvent[] => [
  event('tx', ['fee', `${executed.reduce((sum, { tx }) => sum + tx.gasLimit * tx.gasPrice, 0n)}${denom}`]),
  ...executed.map(({ tx, index }) =>
    event('ethereum_tx', ['ethereumTxHash', toHex(tx.hash)], ['txIndex', String(index)]),
  ),
]

const logJson = (log: ModelLog, at: number, { tx, index }: Executed, block: ResponseBlock): string =>
  JSON.stringify({
    address: addressText(log.address),
    topics: log.topics.map(toHex),
    data: Buffer.from(log.data).toString('base64'),
    blockNumber: block.height,
    transactionHash: toHex(tx.hash),
    transactionIndex: index,
    blockHash: toHex(block.hash),
    logIndex: at,
  })

export const messageEvents = (
  executed: Executed,
  at: number,
  nativeHash: Uint8Array,
  block: ResponseBlock,
  traits: Traits,
): ReplayEvent[] => {
  const { tx, outcome, index, firstLog } = executed
  const mark: ReplayEvent['attributes'] = traits.marksEvents ? [['msg_index', String(at)]] : []
  const nativeText = Buffer.from(nativeHash).toString('hex')
  const txIndex: ReplayEvent['attributes'] = traits.bareLogs ? [] : [['txIndex', String(index)]]
  const target: ReplayEvent['attributes'] = tx.to === undefined ? [] : [['recipient', addressText(tx.to)]]
  const failed: ReplayEvent['attributes'] = outcome.error === '' ? [] : [['ethereumTxFailed', outcome.error]]
  const logs = outcome.logs.map((log, n) => ['txLog', logJson(log, firstLog + n, executed, block)] as const)
  return [
    event(
      'message',
      ['action', `/${traits.evmPackage}.MsgEthereumTx`],
      ['sender', addressText(tx.from)],
      ...mark,
    ),
    event(
      'ethereum_tx',
      ['amount', tx.value.toString()],
      ['ethereumTxHash', toHex(tx.hash)],
      ...txIndex,
      ['txGasUsed', outcome.chargedGas.toString()],
      ['txHash', traits.oldEngine ? nativeText.toUpperCase() : nativeText],
      ...target,
      ...failed,
      ...mark,
    ),
    ...(traits.hasTxLogEvents ? [event('tx_log', ...logs, ...mark)] : []),
    event(
      'message',
      ['module', 'evm'],
      ['sender', addressText(tx.from)],
      ['txType', String(tx.type)],
      ...mark,
    ),
  ]
}

const begin = [['mode', 'BeginBlock']] as const
const end = [['mode', 'EndBlock']] as const

/** What modules besides the EVM's say in each block: a chain's results are mostly this. */
const chatter = (traits: Traits, height: number): ReplayEvent[] => {
  const mark = traits.marksEvents ? begin : []
  const minter = `${traits.prefix}1m3h30wlvsf8llruxtpukdvsy0km2kum8g38c8q`
  const collector = `${traits.prefix}17xpfvakm2amg962yls6f84z3kell8c5lserqta`
  const amount = `${2_059_840_875_875_975_988n + BigInt(height)}${traits.denom}`
  const move = (from: string, to: string): ReplayEvent[] => [
    event('coin_spent', ['spender', from], ['amount', amount], ...mark),
    event('coin_received', ['receiver', to], ['amount', amount], ...mark),
    event('transfer', ['recipient', to], ['sender', from], ['amount', amount], ...mark),
    event('message', ['sender', from], ...mark),
  ]
  return [
    event('coinbase', ['minter', minter], ['amount', amount], ...mark),
    ...move(minter, collector),
    event(
      'mint',
      ['bonded_ratio', '0.000009999581891026'],
      ['inflation', '0.130001833128520630'],
      ['annual_provisions', '13000726884908739973152351.266614325421321260'],
      ['amount', amount],
      ...mark,
    ),
    ...move(collector, `${traits.prefix}1jv65s3grqf6v6jl3dp4t6c9t9rk99cd88lyufl`),
    event('commission', ['amount', amount], ['validator', `${traits.prefix}valoper1qqqq`], ...mark),
    event('rewards', ['amount', amount], ['validator', `${traits.prefix}valoper1qqqq`], ...mark),
  ]
}

/** An integer at 18 decimals as text with a point. */
export const decimalText = (scaled: bigint): string => {
  const digits = scaled.toString().padStart(19, '0')
  return `${digits.slice(0, -18)}.${digits.slice(-18)}`
}

export interface BlockEvents {
  readonly begin: readonly ReplayEvent[]
  readonly end: readonly ReplayEvent[]
}

const trimmed = (bloom: Uint8Array): Uint8Array => {
  const start = bloom.findIndex((byte) => byte !== 0)
  return start < 0 ? bloom.subarray(0, 0) : bloom.subarray(start)
}

/** `fee`: of this block, at 18 decimals; undefined where there is none. */
export const blockEvents = (
  traits: Traits,
  height: number,
  fee: bigint | undefined,
  gas: bigint,
  bloom: Uint8Array,
  headerRlp: Uint8Array | undefined,
): BlockEvents => {
  const [first, last] = traits.marksEvents ? [begin, end] : [[], []]
  const whole = fee === undefined ? '' : (fee / 10n ** 18n).toString()
  const fees =
    fee === undefined
      ? []
      : traits.decimalFees
        ? [
            event('fee_market', ['base_fee', decimalText(fee)], ...first),
            event('evm_fee_market', ['base_fee', whole], ...first),
          ]
        : [event('fee_market', ['base_fee', whole])]
  const header =
    headerRlp === undefined
      ? []
      : [event('ethereum_header', ['rlp', Buffer.from(headerRlp).toString('base64')], ...last)]
  return {
    begin: [...(headerRlp === undefined ? chatter(traits, height) : []), ...fees],
    end: [
      event('block_bloom', ['bloom', traits.bareLogs || headerRlp ? trimmed(bloom) : bloom], ...last),
      event('block_gas', ['height', String(height)], ['amount', gas.toString()], ...last),
      ...header,
    ],
  }
}
