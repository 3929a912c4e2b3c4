import { useEffect, useState } from 'preact/hooks'
import { group } from '../format/numbers.ts'
import { head } from '../live/live.ts'
import { useCall } from '../live/useCall.ts'
import { Empty, Heading, Loaded, Tabs, useTitle } from '../parts/layout.tsx'
import { TransactionTable } from '../parts/transactionTable.tsx'
import { call } from '../rpc/client.ts'
import type { Transaction } from '../rpc/types.ts'
import { useStore } from '../state/store.ts'
import { texts } from '../texts/texts.ts'

type ByNonce = Readonly<Record<string, Transaction>>

interface PoolContent {
  readonly pending: Readonly<Record<string, ByNonce>>
  readonly queued: Readonly<Record<string, ByNonce>>
}

const refreshMs = 3000
/** Rows that are shown; the pool can hold many thousands. */
const maxRows = 1000

const listOf = (part: PoolContent['pending']): readonly Transaction[] =>
  Object.values(part).flatMap((byNonce) => Object.values(byNonce))

export const PoolView = () => {
  useTitle(texts.nav.pool)
  const [tab, setTab] = useState<string>('pending')
  const [tick, setTick] = useState(0)
  const newest = useStore(head)
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && setTick((count) => count + 1), refreshMs)
    return () => clearInterval(timer)
  }, [])
  const state = useCall(() => call<PoolContent>('txpool_content'), [], `${newest} ${tick}`)
  return (
    <>
      <Heading kind={texts.nav.pool} />
      <Loaded state={state}>
        {(content) => {
          const lists = { pending: listOf(content.pending), queued: listOf(content.queued) }
          const rows = lists[tab === 'queued' ? 'queued' : 'pending']
          return (
            <Tabs
              label={texts.pool.parts}
              active={tab}
              onSelect={setTab}
              tabs={[
                ['pending', texts.pool.pending(group(lists.pending.length))],
                ['queued', texts.pool.queued(group(lists.queued.length))],
              ]}
            >
              {rows.length === 0 ? (
                <Empty>{tab === 'queued' ? texts.pool.noQueued : texts.pool.noPending}</Empty>
              ) : (
                <TransactionTable
                  caption={texts.pool.caption}
                  rows={rows.slice(0, maxRows).map((transaction) => ({ transaction }))}
                />
              )}
              {rows.length > maxRows && <p class="muted">{texts.pool.cut(group(maxRows))}</p>}
            </Tabs>
          )
        }}
      </Loaded>
    </>
  )
}
