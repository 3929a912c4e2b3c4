import { formatPercent, group, toNumber, toQuantity } from '../../format/numbers.ts'
import { head } from '../../live/live.ts'
import { useCall } from '../../live/useCall.ts'
import { go, linkTo, type Route } from '../../page/route.ts'
import { useKeys } from '../../page/useKeys.ts'
import { Gwei } from '../../parts/amount.tsx'
import { Heading, Loaded, useTitle } from '../../parts/layout.tsx'
import { AddressLink, BlockLink } from '../../parts/link.tsx'
import { PageButton } from '../../parts/pageButton.tsx'
import { Meter } from '../../parts/status.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Age } from '../../parts/time.tsx'
import { call } from '../../rpc/client.ts'
import type { Block } from '../../rpc/types.ts'
import { useStore } from '../../state/store.ts'
import { texts } from '../../texts/texts.ts'

const pageSize = 50

const columns: readonly Column<Block>[] = [
  { name: texts.names.block, place: 'top-left', cell: (block) => <BlockLink number={block.number} /> },
  { name: texts.names.age, place: 'top-right', cell: (block) => <Age time={toNumber(block.timestamp)} /> },
  {
    name: texts.names.transactions,
    isNumber: true,
    place: 'low-left',
    isNamed: true,
    cell: (block) => group(block.transactions.length),
  },
  {
    name: texts.names.gasUsed,
    isNumber: true,
    place: 'low-right',
    cell: (block) => (
      <span class="with-meter">
        <span class="muted">{formatPercent(toNumber(block.gasUsed), toNumber(block.gasLimit))}</span>{' '}
        {group(toNumber(block.gasUsed))}
        <Meter value={toNumber(block.gasUsed)} max={toNumber(block.gasLimit)} />
      </span>
    ),
  },
  {
    name: texts.names.baseFee,
    isNumber: true,
    isMinor: true,
    cell: (block) => <Gwei wei={block.baseFeePerGas} />,
  },
  { name: texts.names.feesTo, isMinor: true, cell: (block) => <AddressLink address={block.miner} /> },
]

export const BlocksView = ({ route }: { readonly route: Route }) => {
  useTitle(texts.nav.blocks)
  const newest = useStore(head)
  const wanted = route.query.to === undefined ? undefined : Number(route.query.to)
  const to = wanted !== undefined && Number.isSafeInteger(wanted) && wanted >= 0 ? wanted : newest
  const state = useCall(
    async () => {
      if (to === undefined) return []
      const numbers = Array.from({ length: Math.min(pageSize, to + 1) }, (_, index) => toQuantity(to - index))
      const blocks = await Promise.all(
        numbers.map((number) => call<Block | null>('eth_getBlockByNumber', number, false)),
      )
      return blocks.filter((block) => block !== null)
    },
    [wanted],
    to,
  )
  const older =
    to === undefined || to < pageSize ? undefined : linkTo('blocks', [], { to: String(to - pageSize) })
  const next = (to ?? 0) + pageSize
  const newer =
    wanted === undefined || newest === undefined || to === undefined || to >= newest
      ? undefined
      : linkTo('blocks', [], next >= newest ? {} : { to: String(next) })
  useKeys(
    [
      { key: 'ArrowRight', text: texts.blocks.older, run: () => older && go(older) },
      { key: 'ArrowLeft', text: texts.blocks.newer, run: () => newer && go(newer) },
    ],
    [older, newer],
  )
  return (
    <>
      <Heading
        kind={texts.nav.blocks}
        aside={
          <div class="pager">
            <PageButton link={newer}>← {texts.newer}</PageButton>
            <PageButton link={older}>{texts.older} →</PageButton>
          </div>
        }
      />
      <Loaded state={state}>
        {(blocks) => (
          <Table
            caption={texts.blocks.caption}
            columns={columns}
            rows={blocks}
            keyOf={(block) => block.hash}
          />
        )}
      </Loaded>
    </>
  )
}
