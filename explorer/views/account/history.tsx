import { useState } from 'preact/hooks'
import { toNumber } from '../../format/numbers.ts'
import { head } from '../../live/live.ts'
import { useCall } from '../../live/useCall.ts'
import { Empty, Loaded } from '../../parts/layout.tsx'
import { UnprovenNote } from '../../parts/proof.tsx'
import { TransactionTable } from '../../parts/transactionTable.tsx'
import { call } from '../../rpc/client.ts'
import type { FoundTransactions, Hex } from '../../rpc/types.ts'
import { useStore } from '../../state/store.ts'
import { texts } from '../../texts/texts.ts'

const pageSize = 25

/** The transactions in which an account appears, page by page through the node's index. */
export const History = ({ address }: { readonly address: Hex }) => {
  /** The blocks before which the pages begin; 0 is the newest page. */
  const [starts, setStarts] = useState<readonly number[]>([0])
  const before = starts.at(-1) ?? 0
  const newest = useStore(head, (number) => (before === 0 ? number : undefined))
  const state = useCall(
    () => call<FoundTransactions>('ots_searchTransactionsBefore', address, before, pageSize),
    [address, before],
    newest,
  )
  return (
    <Loaded state={state}>
      {({ txs, receipts, lastPage }) => {
        if (txs.length === 0) return <Empty>{texts.noTransactions}</Empty>
        const oldest = txs.at(-1)?.blockNumber
        return (
          <>
            <UnprovenNote />
            <TransactionTable
              caption={texts.account.history(address)}
              of={address}
              hasBlock
              rows={txs.map((transaction, index) => ({
                transaction,
                receipt: receipts[index],
                time: receipts[index]?.timestamp,
              }))}
            />
            <div class="pager">
              <button
                type="button"
                class="button small"
                disabled={starts.length === 1}
                onClick={() => setStarts(starts.slice(0, -1))}
              >
                ← {texts.newer}
              </button>
              <button
                type="button"
                class="button small"
                disabled={lastPage || oldest == null}
                onClick={() => setStarts([...starts, toNumber(oldest)])}
              >
                {texts.older} →
              </button>
            </div>
          </>
        )
      }}
    </Loaded>
  )
}
