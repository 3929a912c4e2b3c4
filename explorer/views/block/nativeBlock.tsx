import { group } from '../../format/numbers.ts'
import { useCall } from '../../live/useCall.ts'
import { Empty, Facts, Loaded, Panel } from '../../parts/layout.tsx'
import { HexValue } from '../../parts/link.tsx'
import { type NativeEvent, NativeEvents } from '../../parts/nativeEvents.tsx'
import { Raw } from '../../parts/raw.tsx'
import { SafeText } from '../../parts/safeText.tsx'
import { call } from '../../rpc/client.ts'
import type { Hex } from '../../rpc/types.ts'
import { texts } from '../../texts/texts.ts'

/** What is read of a block of CometBFT. Its nodes are of many versions, so that any of it may be missing. */
interface NativeBlockData {
  readonly block_id?: { readonly hash?: string }
  readonly block?: {
    readonly header?: {
      readonly chain_id?: string
      readonly height?: string
      readonly time?: string
      readonly proposer_address?: string
      readonly app_hash?: string
    }
    readonly data?: { readonly txs?: readonly string[] | null }
    readonly last_commit?: { readonly signatures?: readonly { readonly signature?: string | null }[] | null }
  }
}

interface NativeResults {
  readonly finalize_block_events?: readonly NativeEvent[] | null
}

const shownText = (text: string | undefined) => text && <SafeText text={text} max={200} />
const shownHash = (text: string | undefined) => text && <HexValue text={text} isFull />

const BlockFacts = ({ data: { block_id, block } }: { readonly data: NativeBlockData }) => {
  const { chain_id, height, time, proposer_address, app_hash } = block?.header ?? {}
  const signatures = block?.last_commit?.signatures
  const signed = signatures?.filter(({ signature }) => signature).length
  return (
    <Panel>
      <Facts
        rows={[
          [texts.transaction.nativeHash, shownHash(block_id?.hash)],
          [texts.block.nativeChain, shownText(chain_id)],
          [texts.transaction.height, shownText(height)],
          [texts.names.time, shownText(time)],
          [texts.block.proposer, shownHash(proposer_address)],
          [texts.block.nativeTransactions, block?.data && group(block.data.txs?.length ?? 0)],
          [
            texts.block.lastCommit,
            signatures && texts.block.signed(group(signed ?? 0), group(signatures.length)),
          ],
          [texts.block.appHash, shownHash(app_hash)],
        ]}
      />
    </Panel>
  )
}

/** A block as CometBFT has it, with its results. */
export const NativeBlock = ({ number }: { readonly number: Hex }) => {
  const state = useCall(
    () =>
      Promise.all([
        call<NativeBlockData | null>('cosmos_getBlock', number),
        call<NativeResults | null>('cosmos_getBlockResults', number),
      ]),
    [number],
  )
  return (
    <Loaded state={state}>
      {([block, results]) =>
        block === null ? (
          <Empty>{texts.block.noNative}</Empty>
        ) : (
          <>
            <BlockFacts data={block} />
            <NativeEvents events={results?.finalize_block_events} />
            <h3>{texts.names.block}</h3>
            <Raw value={block} />
            <h3>{texts.block.results}</h3>
            <Raw value={results} />
          </>
        )
      }
    </Loaded>
  )
}
