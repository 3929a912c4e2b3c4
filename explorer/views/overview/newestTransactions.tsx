import type { BlockSummary } from '../../live/blocks.ts'
import { chainChanges } from '../../live/live.ts'
import { useCall } from '../../live/useCall.ts'
import { Amount } from '../../parts/amount.tsx'
import { Empty, Panel } from '../../parts/layout.tsx'
import { AddressLink, TransactionLink } from '../../parts/link.tsx'
import { Method } from '../../parts/method.tsx'
import { FailedSign } from '../../parts/status.tsx'
import { Age } from '../../parts/time.tsx'
import { call } from '../../rpc/client.ts'
import type { Hex, Receipt, Transaction } from '../../rpc/types.ts'
import { texts } from '../../texts/texts.ts'

interface Newest {
  readonly hash: Hex
  readonly block: BlockSummary
}

interface Known {
  readonly transaction: Transaction | null
  readonly receipt: Pick<Receipt, 'status'> | null
}

/** Those that were requested: a list of a dozen changes by a few with each block. */
const known = new Map<Hex, Known>()
const maxKnown = 200

chainChanges.subscribe(() => known.clear())

const ask = async (hash: Hex): Promise<Known> => {
  const [transaction, receipt] = await Promise.all([
    call<Transaction | null>('eth_getTransactionByHash', hash),
    // How it ended is not what the others wait for.
    call<Receipt | null>('eth_getTransactionReceipt', hash).catch(() => null),
  ])
  return { transaction, receipt }
}

const load = async (hashes: readonly Hex[]): Promise<ReadonlyMap<Hex, Known>> => {
  await Promise.all(
    hashes.filter((hash) => !known.has(hash)).map(async (hash) => known.set(hash, await ask(hash))),
  )
  for (const [hash] of known) {
    if (known.size <= maxKnown) break
    if (!hashes.includes(hash)) known.delete(hash)
  }
  return new Map(known)
}

const Parties = (transaction: Transaction) => {
  const { from, to, value } = transaction
  return (
    <div class="parties">
      <Method transaction={transaction} characters={16} />
      <AddressLink address={from} />
      <span aria-hidden="true">→</span>
      {to === null ? <span class="muted">{texts.contractCreation}</span> : <AddressLink address={to} />}
      <span class="grow" />
      <Amount wei={value} />
    </div>
  )
}

/** The newest transactions, each with who sent what to whom. */
export const NewestTransactions = ({ list }: { readonly list: readonly Newest[] }) => {
  const hashes = list.map(({ hash }) => hash)
  const state = useCall(() => load(hashes), [], hashes.join())
  return (
    <Panel title={texts.names.transactions}>
      {list.length === 0 ? (
        <Empty>{texts.overview.noTransactions}</Empty>
      ) : (
        <ul class="stream" aria-label={texts.overview.newestTransactions}>
          {list.map(({ hash, block }) => {
            const { transaction, receipt } = state.data?.get(hash) ?? {}
            return (
              <li key={hash} class="two-lines">
                <span class="hash">
                  <FailedSign receipt={receipt} />
                  <TransactionLink hash={hash} />
                </span>
                <span class="grow" />
                <Age time={block.time} />
                {transaction != null && <Parties {...transaction} />}
              </li>
            )
          })}
        </ul>
      )}
    </Panel>
  )
}
