import { useEffect } from 'preact/hooks'
import { isHash, shorten } from '../../format/hex.ts'
import { head } from '../../live/live.ts'
import { nodeFacts } from '../../live/node.ts'
import { useCall } from '../../live/useCall.ts'
import { linkTo, type Route, replaceLink } from '../../page/route.ts'
import { useKeys } from '../../page/useKeys.ts'
import { copyText } from '../../parts/copy.tsx'
import { Empty, Heading, Loaded, Tabs, useTitle } from '../../parts/layout.tsx'
import { HexValue } from '../../parts/link.tsx'
import { Proven, UnprovenNote } from '../../parts/proof.tsx'
import { Raw } from '../../parts/raw.tsx'
import { StatusBadge } from '../../parts/status.tsx'
import { call } from '../../rpc/client.ts'
import type { Hex } from '../../rpc/types.ts'
import { useStore } from '../../state/store.ts'
import { texts } from '../../texts/texts.ts'
import { CallTree } from './callTree.tsx'
import { Events } from './events.tsx'
import { type LoadedTransaction, loadTransaction } from './loadTransaction.ts'
import { NativeTransaction } from './native.tsx'
import { StateChanges } from './stateChanges.tsx'
import { Summary } from './summary.tsx'

const RawForms = ({ loaded: { transaction, receipt } }: { readonly loaded: LoadedTransaction }) => {
  const encoded = useCall(
    () => call<Hex>('eth_getRawTransactionByHash', transaction.hash).catch(() => undefined),
    [transaction.hash],
  )
  return (
    <>
      <h3>{texts.names.transaction}</h3>
      <Raw value={transaction} />
      {receipt !== null && (
        <>
          <h3>{texts.transaction.receipt}</h3>
          <Raw value={receipt} />
        </>
      )}
      {encoded.data !== undefined && (
        <>
          <h3>{texts.transaction.signed}</h3>
          <Raw value={encoded.data} />
        </>
      )}
    </>
  )
}

const Body = ({ loaded, tab }: { readonly loaded: LoadedTransaction; readonly tab: string }) => {
  const { hash } = loaded.transaction
  switch (tab) {
    case 'events':
      return <Events logs={loaded.receipt?.logs ?? []} />
    case 'calls':
      return <CallTree hash={hash} />
    case 'state':
      return <StateChanges hash={hash} />
    case 'native':
      return <NativeTransaction hash={hash} />
    case 'raw':
      return <RawForms loaded={loaded} />
    default:
      return <Summary loaded={loaded} />
  }
}

/** Those that a link names; for any other name the summary is shown. */
const otherTabs: ReadonlySet<string> = new Set(['events', 'calls', 'state', 'native', 'raw'])

/** Those that rest on traces or on the native side. */
const unprovenTabs: ReadonlySet<string> = new Set(['calls', 'state', 'native'])

export const TransactionView = ({ route }: { readonly route: Route }) => {
  const hash = route.args[0] ?? ''
  const wanted = route.query.tab ?? ''
  const tab = otherTabs.has(wanted) ? wanted : 'summary'
  useTitle(texts.transaction.title(shorten(hash)))
  const newest = useStore(head)
  const isNative = useStore(nodeFacts, (facts) => facts?.isNative ?? false)
  const isWanted = isHash(hash)
  const state = useCall(async () => (isWanted ? loadTransaction(hash) : undefined), [hash])
  const isOpen = state.data === null || state.data?.receipt === null
  // A transaction that waits is requested again with every block, unless the node still answers.
  useEffect(() => {
    if (isOpen && !state.isLoading) state.reload()
  }, [newest])
  useKeys([{ key: 'c', text: texts.transaction.copy, run: () => void copyText(hash) }], [hash])
  const tabs = (logs: number): readonly (readonly [string, string])[] => [
    ['summary', texts.transaction.summary],
    ['events', texts.transaction.events(logs)],
    ['calls', texts.transaction.calls],
    ['state', texts.transaction.state],
    ...(isNative ? [['native', texts.names.native] as const] : []),
    ['raw', texts.names.raw],
  ]
  return (
    <>
      <Heading
        kind={texts.names.transaction}
        aside={
          state.data && (
            <>
              <Proven />
              <StatusBadge receipt={state.data.receipt} />
            </>
          )
        }
      >
        {isWanted && <HexValue text={hash} isFull />}
      </Heading>
      {!isWanted && <Empty>{texts.hashWanted}</Empty>}
      {isWanted && (
        <Loaded state={state}>
          {(loaded) =>
            loaded === null ? (
              <Empty>{texts.noTransaction}</Empty>
            ) : (
              <Tabs
                label={texts.transaction.parts}
                tabs={tabs(loaded.receipt?.logs.length ?? 0)}
                active={tab}
                onSelect={(id) =>
                  replaceLink(linkTo('tx', [hash], { tab: id === 'summary' ? undefined : id }))
                }
              >
                {unprovenTabs.has(tab) && <UnprovenNote />}
                <Body loaded={loaded} tab={tab} />
              </Tabs>
            )
          }
        </Loaded>
      )}
    </>
  )
}
