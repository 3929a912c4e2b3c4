import { useCall } from '../../live/useCall.ts'
import { Empty, Facts, Loaded, Panel } from '../../parts/layout.tsx'
import { HexValue } from '../../parts/link.tsx'
import { type NativeEvent, NativeEvents } from '../../parts/nativeEvents.tsx'
import { Raw } from '../../parts/raw.tsx'
import { SafeText, safeText } from '../../parts/safeText.tsx'
import { call } from '../../rpc/client.ts'
import type { Hex } from '../../rpc/types.ts'
import { texts } from '../../texts/texts.ts'

interface Native {
  readonly hash: string
  readonly height: string
  readonly index?: number
  readonly tx_result?: {
    readonly code?: number
    readonly log?: string
    readonly events?: readonly NativeEvent[]
  }
}

/** A transaction as the chain of CometBFT has it. */
export const NativeTransaction = ({ hash }: { readonly hash: Hex }) => {
  const state = useCall(() => call<Native | null>('cosmos_getTransaction', hash), [hash])
  return (
    <Loaded state={state}>
      {(native) =>
        native === null ? (
          <Empty>{texts.transaction.noNative}</Empty>
        ) : (
          <>
            <Panel>
              <Facts
                rows={[
                  [texts.transaction.nativeHash, <HexValue text={native.hash} isFull />],
                  [texts.transaction.height, <span class="num">{safeText(String(native.height))}</span>],
                  [
                    texts.names.code,
                    native.tx_result?.code !== undefined && (
                      <span class="num">{safeText(String(native.tx_result.code))}</span>
                    ),
                  ],
                  [
                    texts.transaction.log,
                    native.tx_result?.log ? <SafeText text={native.tx_result.log} /> : undefined,
                  ],
                ]}
              />
            </Panel>
            <NativeEvents events={native.tx_result?.events} />
            <Raw value={native} />
          </>
        )
      }
    </Loaded>
  )
}
