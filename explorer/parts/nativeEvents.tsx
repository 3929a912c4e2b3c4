import { isAddress, isHash } from '../format/hex.ts'
import { texts } from '../texts/texts.ts'
import { Panel } from './layout.tsx'
import { AddressLink, TransactionLink } from './link.tsx'
import { Paged } from './paged.tsx'
import { SafeText } from './safeText.tsx'

export interface NativeEvent {
  readonly type: string
  readonly attributes?: readonly { readonly key: string; readonly value: string | null }[]
}

/** Events, and attributes of one, that are shown at first: a module can give thousands. */
const shownAtFirst = 50

/** What an attribute says. Those of the EVM's module name accounts and transactions, which have views. */
const AttributeValue = ({ name, value }: { readonly name: string; readonly value: string }) => {
  if (isAddress(value)) return <AddressLink address={value} isFull />
  if (name === 'ethereumTxHash' && isHash(value)) return <TransactionLink hash={value} isFull />
  return <SafeText text={value} />
}

/** Events as the modules of a chain of CometBFT give them; nothing where there are none. */
export const NativeEvents = ({ events }: { readonly events: readonly NativeEvent[] | null | undefined }) =>
  !events?.length ? null : (
    <Panel title={texts.transaction.nativeEvents}>
      <Paged list={events} first={shownAtFirst} step={4 * shownAtFirst}>
        {(shown) => (
          <ol class="boxes">
            {shown.map((event, index) => (
              <li key={`${index}${event.type}`} class="event">
                <p class="event-head">
                  <SafeText text={event.type} max={100} />
                </p>
                <Paged list={event.attributes ?? []} first={shownAtFirst} step={4 * shownAtFirst}>
                  {(attributes) => (
                    <dl class="facts tight">
                      {attributes.map(({ key, value }, at) => (
                        <div key={`${at}${key}`}>
                          <dt>
                            <SafeText text={key} max={60} />
                          </dt>
                          <dd class="break">
                            <AttributeValue name={key} value={value ?? ''} />
                          </dd>
                        </div>
                      ))}
                    </dl>
                  )}
                </Paged>
              </li>
            ))}
          </ol>
        )}
      </Paged>
    </Panel>
  )
