import { useEffect } from 'preact/hooks'
import { blobFeeOf, feeOf } from '../../format/fees.ts'
import { isHash } from '../../format/hex.ts'
import { formatBytes, formatPercent, group, toBig, toNumber, toQuantity } from '../../format/numbers.ts'
import { head } from '../../live/live.ts'
import { nodeFacts } from '../../live/node.ts'
import { useCall } from '../../live/useCall.ts'
import { go, linkTo, type Route, replaceLink } from '../../page/route.ts'
import { asBlockNumber } from '../../page/search.ts'
import { useKeys } from '../../page/useKeys.ts'
import { Amount, Gwei } from '../../parts/amount.tsx'
import { copyText } from '../../parts/copy.tsx'
import { Empty, Facts, Heading, Loaded, Panel, Tabs, useTitle } from '../../parts/layout.tsx'
import { AddressLink, BlockLink, HexValue } from '../../parts/link.tsx'
import { PageButton } from '../../parts/pageButton.tsx'
import { Paged } from '../../parts/paged.tsx'
import { Proven, UnprovenNote } from '../../parts/proof.tsx'
import { Raw } from '../../parts/raw.tsx'
import { safeText } from '../../parts/safeText.tsx'
import { Moment } from '../../parts/time.tsx'
import { TransactionTable } from '../../parts/transactionTable.tsx'
import { call } from '../../rpc/client.ts'
import type { FullBlock, Receipt } from '../../rpc/types.ts'
import { useStore } from '../../state/store.ts'
import { texts } from '../../texts/texts.ts'
import { NativeBlock } from './nativeBlock.tsx'

const pageSize = 100

const loadBlock = async (id: string) => {
  const number = asBlockNumber(id)
  const [block, receipts] =
    number === undefined
      ? await Promise.all([
          call<FullBlock | null>('eth_getBlockByHash', id, true),
          call<readonly Receipt[] | null>('eth_getBlockReceipts', id),
        ])
      : await Promise.all([
          call<FullBlock | null>('eth_getBlockByNumber', number, true),
          call<readonly Receipt[] | null>('eth_getBlockReceipts', number),
        ])
  return { block, receipts: receipts ?? [] }
}

/** The tab that a link names; the first one if there is no such tab. */
const tabOf = (name: string | undefined): string =>
  name === 'raw' || name === 'native' ? name : 'transactions'

const sumOf = (receipts: readonly Receipt[], of: (receipt: Receipt) => bigint): bigint =>
  receipts.reduce((sum, receipt) => sum + of(receipt), 0n)

const BlockFacts = ({
  block,
  receipts,
}: {
  readonly block: FullBlock
  readonly receipts: readonly Receipt[]
}) => {
  const number = toNumber(block.number)
  const used = toNumber(block.gasUsed)
  const limit = toNumber(block.gasLimit)
  const forBlobs = sumOf(receipts, blobFeeOf)
  const burnt = toBig(block.gasUsed) * toBig(block.baseFeePerGas)
  return (
    <Panel>
      <Facts
        rows={[
          [texts.names.time, <Moment time={toNumber(block.timestamp)} />],
          [
            texts.names.hash,
            <>
              <HexValue text={block.hash} isFull /> <Proven />
            </>,
          ],
          [
            texts.block.parent,
            // The first block names nobody.
            number > 0 && (
              <a class="mono break" href={linkTo('block', [number - 1])}>
                {safeText(block.parentHash)}
              </a>
            ),
          ],
          [texts.names.feesTo, <AddressLink address={block.miner} isFull />],
          [
            texts.names.gasUsed,
            <span class="num">
              {texts.share(group(used), group(limit))} ({formatPercent(used, limit)})
            </span>,
          ],
          [texts.names.baseFee, block.baseFeePerGas && <Gwei wei={block.baseFeePerGas} />],
          [texts.block.feesPaid, <Amount wei={sumOf(receipts, feeOf)} isFull />],
          [texts.block.ofThese, <Amount wei={burnt} isFull />],
          [texts.block.forBlobs, forBlobs > 0n && <Amount wei={forBlobs} isFull />],
          [texts.block.size, <span class="num">{formatBytes(toNumber(block.size))}</span>],
          [texts.block.stateRoot, <HexValue text={block.stateRoot} isFull />],
          [texts.block.extraData, block.extraData !== '0x' && <HexValue text={block.extraData} isFull />],
        ]}
      />
    </Panel>
  )
}

const BlockBody = ({
  block,
  receipts,
  tab,
}: {
  readonly block: FullBlock
  readonly receipts: readonly Receipt[]
  readonly tab: string
}) => {
  const isNative = useStore(nodeFacts, (facts) => facts?.isNative ?? false)
  const byHash = new Map(receipts.map((receipt) => [receipt.transactionHash, receipt]))
  const { transactions } = block
  const tabs: (readonly [string, string])[] = [
    ['transactions', texts.block.transactions(group(transactions.length))],
    ['raw', texts.names.raw],
  ]
  if (isNative) tabs.splice(1, 0, ['native', texts.names.native])
  return (
    <>
      <BlockFacts block={block} receipts={receipts} />
      <Tabs
        label={texts.block.parts}
        tabs={tabs}
        active={tab}
        onSelect={(id) =>
          replaceLink(
            linkTo('block', [toNumber(block.number)], { tab: id === 'transactions' ? undefined : id }),
          )
        }
      >
        {tab === 'raw' && <Raw value={block} />}
        {tab === 'native' && <UnprovenNote />}
        {tab === 'native' && <NativeBlock number={block.number} />}
        {tab === 'transactions' && transactions.length === 0 && <Empty>{texts.noTransactions}</Empty>}
        {tab === 'transactions' && transactions.length > 0 && (
          <Paged list={transactions} first={pageSize} step={10 * pageSize}>
            {(shown) => (
              <TransactionTable
                caption={texts.block.caption(toNumber(block.number))}
                rows={shown.map((transaction) => ({ transaction, receipt: byHash.get(transaction.hash) }))}
              />
            )}
          </Paged>
        )}
      </Tabs>
    </>
  )
}

export const BlockView = ({ route }: { readonly route: Route }) => {
  const id = route.args[0] ?? ''
  const newest = useStore(head)
  const isId = asBlockNumber(id) !== undefined || isHash(id)
  const state = useCall(async () => (isId ? loadBlock(id) : undefined), [id])
  const block = state.data?.block
  const number = block == null ? Number(id) : toNumber(block.number)
  useTitle(texts.block.title(id))
  // Somebody may wait for a block that is to come.
  const isMissing = state.data?.block === null
  useEffect(() => {
    if (isMissing && !state.isLoading && newest !== undefined && number <= newest) state.reload()
  }, [newest, isMissing])
  useKeys(
    [
      {
        key: 'ArrowLeft',
        text: texts.block.previous,
        run: () => number > 0 && go(linkTo('block', [number - 1])),
      },
      { key: 'ArrowRight', text: texts.block.next, run: () => go(linkTo('block', [number + 1])) },
      {
        key: 'c',
        text: texts.block.copy,
        run: () => void copyText(block?.hash ?? toQuantity(number)),
      },
    ],
    [number, block],
  )
  return (
    <>
      <Heading
        kind={texts.names.block}
        aside={
          !Number.isNaN(number) && (
            <div class="pager">
              <PageButton
                link={number > 0 ? linkTo('block', [number - 1]) : undefined}
                label={texts.block.previous}
              >
                ←
              </PageButton>
              <PageButton link={linkTo('block', [number + 1])} label={texts.block.next}>
                →
              </PageButton>
            </div>
          )
        }
      >
        {!Number.isNaN(number) && <span class="num">{group(number)}</span>}
      </Heading>
      {!isId && <Empty>{texts.numberWanted}</Empty>}
      {isId && (
        <Loaded state={state}>
          {(data) =>
            data.block === null ? (
              <Empty>
                {texts.noBlock}{' '}
                {newest !== undefined && (
                  <>
                    {texts.block.newest} <BlockLink number={newest} />.
                  </>
                )}
              </Empty>
            ) : (
              <BlockBody block={data.block} receipts={data.receipts} tab={tabOf(route.query.tab)} />
            )
          }
        </Loaded>
      )}
    </>
  )
}
