import { Empty, Facts, Loaded, Panel } from '../../parts/layout.tsx'
import { HexValue } from '../../parts/link.tsx'
import { Raw } from '../../parts/raw.tsx'
import { SafeText } from '../../parts/safeText.tsx'
import { call } from '../../rpc/client.ts'
import type { Hex } from '../../rpc/types.ts'
import { texts } from '../../texts.ts'
import { useCall } from '../../useCall.ts'

interface NativeEvent {
  readonly type: string
  readonly attributes?: readonly { readonly key: string; readonly value: string | null }[]
}

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
                  [texts.transaction.height, <span class="num">{native.height}</span>],
                  [
                    texts.names.code,
                    native.tx_result?.code !== undefined && <span class="num">{native.tx_result.code}</span>,
                  ],
                  [
                    texts.transaction.log,
                    native.tx_result?.log ? <SafeText text={native.tx_result.log} /> : undefined,
                  ],
                ]}
              />
            </Panel>
            {(native.tx_result?.events?.length ?? 0) > 0 && (
              <Panel title={texts.transaction.nativeEvents}>
                <ol class="boxes">
                  {native.tx_result?.events?.map((event, index) => (
                    <li key={`${index}${event.type}`} class="event">
                      <p class="event-head">
                        <SafeText text={event.type} max={100} />
                      </p>
                      <dl class="facts tight">
                        {(event.attributes ?? []).map(({ key, value }, at) => (
                          <div key={`${at}${key}`}>
                            <dt>
                              <SafeText text={key} max={60} />
                            </dt>
                            <dd class="break">
                              <SafeText text={value ?? ''} />
                            </dd>
                          </div>
                        ))}
                      </dl>
                    </li>
                  ))}
                </ol>
              </Panel>
            )}
            <Raw value={native} />
          </>
        )
      }
    </Loaded>
  )
}
