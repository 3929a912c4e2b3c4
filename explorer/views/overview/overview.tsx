import { useEffect } from 'preact/hooks'
import { formatGwei, formatPercent, group, toNumber } from '../../format/numbers.ts'
import type { BlockSummary } from '../../live/blocks.ts'
import { loadLastHour, recentBlocks } from '../../live/live.ts'
import { nodeFacts } from '../../live/node.ts'
import { useCall } from '../../live/useCall.ts'
import { linkTo } from '../../page/route.ts'
import { Loading, Panel, useTitle } from '../../parts/layout.tsx'
import { lazy } from '../../parts/lazy.tsx'
import { BlockLink } from '../../parts/link.tsx'
import { Unproven } from '../../parts/proof.tsx'
import { safeText } from '../../parts/safeText.tsx'
import { Meter } from '../../parts/status.tsx'
import { Age } from '../../parts/time.tsx'
import { call } from '../../rpc/client.ts'
import type { Hex } from '../../rpc/types.ts'
import { useStore } from '../../state/store.ts'
import { texts } from '../../texts/texts.ts'
import { withoutGaps } from './gaps.ts'
import { NewestTransactions } from './newestTransactions.tsx'

const Charts = lazy(() => import('./charts.tsx').then((module) => module.Charts))

const shownBlocks = 12
/** Each has two lines where a block has one. */
const shownTransactions = 7

const Figure = ({
  name,
  value,
  note,
  isBelieved,
}: {
  readonly name: string
  readonly value: string
  readonly note?: string
  readonly isBelieved?: boolean
}) => (
  <div class="figure">
    <dt>{name}</dt>
    <dd>
      {value} {note !== undefined && <span class="muted">{note}</span>}
      {isBelieved && (
        <>
          {' '}
          <Unproven />
        </>
      )}
    </dd>
  </div>
)

/** The mean time between the newest blocks, in seconds, without the gaps in which nothing happened. */
const blockTime = (blocks: readonly BlockSummary[]): string => {
  const last = blocks.slice(-20)
  const times = withoutGaps(last.slice(1).map((block, at) => block.time - (last[at]?.time ?? block.time)))
  if (times.length === 0) return '–'
  return `${(times.reduce((sum, time) => sum + time) / times.length).toFixed(1)} s`
}

const Figures = ({ blocks }: { readonly blocks: readonly BlockSummary[] }) => {
  const facts = useStore(nodeFacts)
  const newest = blocks.at(-1)
  const pool = useCall(
    () => call<{ readonly pending: Hex; readonly queued: Hex }>('txpool_status').catch(() => undefined),
    [],
    newest?.number,
  )
  const isAlone = facts?.isAlone ?? true
  const peers = useCall(
    async () => (isAlone ? undefined : call<Hex | number>('net_peerCount').catch(() => undefined)),
    [isAlone, facts],
  )
  const waiting =
    pool.data === undefined ? '–' : group(toNumber(pool.data.pending) + toNumber(pool.data.queued))
  return (
    <dl class="figures">
      <Figure name={texts.names.block} value={newest === undefined ? '–' : group(newest.number)} />
      <Figure name={texts.charts.blockTime} value={blockTime(blocks)} />
      <Figure name={texts.names.baseFee} value={newest === undefined ? '–' : formatGwei(newest.baseFee)} />
      <Figure
        name={texts.names.gasUsed}
        value={newest === undefined ? '–' : formatPercent(newest.gasUsed, newest.gasLimit)}
        note={newest === undefined ? '' : texts.overview.gasOf(group(Math.round(newest.gasLimit / 1e6)))}
      />
      <Figure name={texts.overview.pool} value={waiting} isBelieved />
      {!isAlone && (
        <Figure
          name={texts.overview.peers}
          isBelieved
          value={Number.isSafeInteger(Number(peers.data)) ? group(Number(peers.data)) : '–'}
        />
      )}
      <Figure
        name={texts.overview.engine}
        isBelieved
        value={texts.overview.modes[facts?.status?.mode ?? ''] ?? safeText(facts?.status?.mode ?? '–', 40)}
        {...(facts?.status?.fork !== undefined && { note: safeText(facts.status.fork, 40) })}
      />
    </dl>
  )
}

export const Overview = () => {
  useTitle(texts.nav.home)
  const blocks = useStore(recentBlocks)
  const isReady = blocks.length > 0
  useEffect(() => {
    if (isReady) void loadLastHour().catch(() => {})
  }, [isReady])
  const newest = blocks.slice(-shownBlocks).reverse()
  const transactions = blocks
    .slice(-200)
    .reverse()
    .flatMap((block) => block.firstHashes.map((hash) => ({ hash, block })))
    .slice(0, shownTransactions)
  return (
    <>
      <h1 class="offscreen">{texts.nav.home}</h1>
      <Figures blocks={blocks} />
      <Charts />
      <div class="columns">
        <Panel title={texts.nav.blocks} aside={<a href={linkTo('blocks')}>{texts.overview.allBlocks}</a>}>
          <ul class="stream" aria-label={texts.overview.newestBlocks}>
            {newest.map((block) => (
              <li key={block.hash}>
                <BlockLink number={block.number} />
                <span class="grow num muted">{texts.overview.transactionsOf(block.transactions)}</span>
                <Meter value={block.gasUsed} max={block.gasLimit} />
                <Age time={block.time} />
              </li>
            ))}
          </ul>
        </Panel>
        {isReady ? (
          <NewestTransactions list={transactions} />
        ) : (
          <Panel title={texts.names.transactions}>
            <Loading />
          </Panel>
        )}
      </div>
    </>
  )
}
