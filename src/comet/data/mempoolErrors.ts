/**
 * What a JSON-RPC error of `broadcast_tx_sync` means, by the texts of CometBFT 0.34 to 1.0 (mempool/errors.go,
 * mempool/app_mempool.go, rpc/core/mempool.go). In all of them the node either has the transaction already or does not
 * take it. Any other text leaves open whether it did.
 */
export type MempoolError =
  /** The result of CheckTx, which CometBFT 1.0 reports as an error. */
  | { readonly kind: 'checked'; readonly code: number; readonly codespace: string; readonly log: string }
  /** The node has seen the same bytes before. */
  | { readonly kind: 'seen' }
  | { readonly kind: 'full' }
  | { readonly kind: 'too large' }
  /** The limits of a block exclude the transaction. */
  | { readonly kind: 'excluded' }
  /** The node takes no transactions now. */
  | { readonly kind: 'closed' }

const onValidation = /^broadcast error on transaction validation: /
/** The codespace is missing where a long log was cut. */
const checked =
  /^tx [0-9A-F]* is invalid: code=(\d{1,10}), data=[0-9A-F]*, log='(.*?)(?:', codespace='([^']*)')?$/s

const texts: readonly (readonly [RegExp, Exclude<MempoolError['kind'], 'checked'>])[] = [
  [/^tx already exists in cache$|^tx already seen$/, 'seen'],
  [
    /^transaction already in mempool, not adding it again$|^tx already received from the same sender$/,
    'seen',
  ],
  [/^mempool is full: |^mempool is still rechecking after a new committed block/, 'full'],
  [/^Tx too large\. Max size is \d+, but got \d+/, 'too large'],
  [/^(?:tx pre check: )?tx size is too big: \d+, max: \d+/, 'too large'],
  [/^(?:tx pre check: )?gas wanted -?\d+ is (?:negative|greater than max gas)|^tx pre check: /, 'excluded'],
  [
    /^endpoint is closed while node is catching up$|^appConn mempool: |^not allowed with `nop` mempool$/,
    'closed',
  ],
]

/** Returns what the text of an error says of a transaction that was broadcast; undefined if it leaves that open. */
export const readMempoolError = (text: string): MempoolError | undefined => {
  const inner = text.replace(onValidation, '')
  const [, code, log = '', codespace = ''] = checked.exec(inner) ?? []
  if (code !== undefined) return { kind: 'checked', code: Number(code), codespace, log }
  const kind = texts.find(([pattern]) => pattern.test(inner))?.[1]
  return kind && { kind }
}

/** Returns whether the text of an error is the response of a mempool, and not only that it takes nothing now. */
export const isMempoolAnswer = (text: string): boolean =>
  (readMempoolError(text)?.kind ?? 'closed') !== 'closed'
