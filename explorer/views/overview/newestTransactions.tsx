import { actionName } from '../../abi/describe.ts'
import { shorten } from '../../format/hex.ts'
import { toBig } from '../../format/numbers.ts'
import type { BlockSummary } from '../../live/blocks.ts'
import { chainChanges } from '../../live/live.ts'
import { useCall } from '../../live/useCall.ts'
import { Amount } from '../../parts/amount.tsx'
import { Empty, Panel } from '../../parts/layout.tsx'
import { AddressLink, TransactionLink } from '../../parts/link.tsx'
import { SafeText } from '../../parts/safeText.tsx'
import { Age } from '../../parts/time.tsx'
import { call } from '../../rpc/client.ts'
import type { Hex, Transaction } from '../../rpc/types.ts'
import { texts } from '../../texts/texts.ts'

interface Newest {
  readonly hash: Hex
  readonly block: BlockSummary
}

/** Those that were asked for: a list of a dozen changes by a few with each block. */
const known = new Map<Hex, Transaction | null>()
const maxKnown = 200

chainChanges.subscribe(() => known.clear())

const load = async (hashes: readonly Hex[]): Promise<ReadonlyMap<Hex, Transaction | null>> => {
  await Promise.all(
    hashes
      .filter((hash) => !known.has(hash))
      .map(async (hash) => known.set(hash, await call<Transaction | null>('eth_getTransactionByHash', hash))),
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
      <span class="method">
        <SafeText text={shorten(actionName(transaction), 16, 2)} />
      </span>
      <AddressLink address={from} />
      <span aria-hidden="true">→</span>
      {to === null ? <span class="muted">{texts.contractCreation}</span> : <AddressLink address={to} />}
      <span class="grow" />
      {toBig(value) > 0n && <Amount wei={value} />}
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
            const transaction = state.data?.get(hash)
            return (
              <li key={hash} class="two-lines">
                <TransactionLink hash={hash} />
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
