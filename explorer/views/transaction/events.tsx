import { describeLog } from '../../abi/describe.ts'
import { abiVersion } from '../../abi/registry.ts'
import { toNumber } from '../../format/numbers.ts'
import { DecodedValues } from '../../parts/decoded.tsx'
import { Empty } from '../../parts/layout.tsx'
import { AddressLink, BlockLink, HexValue, TransactionLink } from '../../parts/link.tsx'
import { Paged } from '../../parts/paged.tsx'
import { Raw } from '../../parts/raw.tsx'
import type { Log } from '../../rpc/types.ts'
import { useStore } from '../../state/store.ts'
import { texts } from '../../texts/texts.ts'

const pageSize = 50
/** Characters of data that stand beside its name; more of it scrolls. */
const longData = 200

const RawLog = ({ log }: { readonly log: Pick<Log, 'topics' | 'data'> }) => (
  <dl class="facts tight">
    {log.topics.map((topic, index) => (
      <div key={`${index}${topic}`}>
        <dt>{texts.logs.topic(index)}</dt>
        <dd>
          <HexValue text={topic} isFull />
        </dd>
      </div>
    ))}
    <div>
      <dt>{texts.logs.data}</dt>
      <dd>
        {log.data === '0x' ? (
          <span class="muted">{texts.empty}</span>
        ) : log.data.length < longData ? (
          <HexValue text={log.data} isFull />
        ) : (
          <Raw value={log.data} />
        )}
      </dd>
    </div>
  </dl>
)

/** An event, decoded where its ABI is known. */
const EventBox = ({ log, hasPlace }: { readonly log: Log; readonly hasPlace: boolean }) => {
  const described = describeLog(log)
  return (
    <div class="event">
      <p class="event-head">
        <span class="num muted" title={texts.logs.place}>
          #{toNumber(log.logIndex)}
        </span>{' '}
        <AddressLink address={log.address} />
        {hasPlace && (
          <span class="event-place muted">
            {texts.logs.block} <BlockLink number={toNumber(log.blockNumber)} />, {texts.logs.transaction}{' '}
            <TransactionLink hash={log.transactionHash} />
          </span>
        )}
      </p>
      {described === undefined ? (
        <RawLog log={log} />
      ) : (
        <>
          <DecodedValues described={described} />
          <details>
            <summary>{texts.logs.raw}</summary>
            <RawLog log={log} />
          </details>
        </>
      )}
    </div>
  )
}

interface EventListProps {
  readonly logs: readonly Log[]
  /** Whether each says where it is, as those of many transactions do. */
  readonly hasPlace?: boolean
}

/** Events one below the other, some at a time. */
export const EventList = ({ logs, hasPlace = false }: EventListProps) => {
  useStore(abiVersion)
  return (
    <Paged list={logs} first={pageSize} step={4 * pageSize}>
      {(shown) => (
        <ol class="boxes">
          {shown.map((log) => (
            <li key={`${log.blockNumber}-${log.logIndex}`}>
              <EventBox log={log} hasPlace={hasPlace} />
            </li>
          ))}
        </ol>
      )}
    </Paged>
  )
}

export const Events = ({ logs }: { readonly logs: readonly Log[] }) =>
  logs.length === 0 ? <Empty>{texts.logs.none}</Empty> : <EventList logs={logs} />
