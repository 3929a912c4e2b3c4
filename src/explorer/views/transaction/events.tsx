import { useState } from 'preact/hooks'
import { describeLog } from '../../abi/describe.ts'
import { abiVersion } from '../../abi/registry.ts'
import { toNumber } from '../../format/numbers.ts'
import { DecodedValues } from '../../parts/decoded.tsx'
import { Empty } from '../../parts/layout.tsx'
import { AddressLink, HexValue } from '../../parts/link.tsx'
import type { Log } from '../../rpc/types.ts'
import { useStore } from '../../store.ts'
import { texts } from '../../texts.ts'

const pageSize = 50

const RawLog = ({ log }: { readonly log: Pick<Log, 'topics' | 'data'> }) => (
  <dl class="facts tight">
    {log.topics.map((topic, index) => (
      <div key={`${index}${topic}`}>
        <dt>topic {index}</dt>
        <dd>
          <HexValue text={topic} isFull />
        </dd>
      </div>
    ))}
    <div>
      <dt>data</dt>
      <dd>
        {log.data === '0x' ? (
          <span class="muted">empty</span>
        ) : (
          <HexValue text={log.data} isFull={log.data.length < 200} />
        )}
      </dd>
    </div>
  </dl>
)

/** An event, decoded where its ABI is known. */
export const EventBox = ({ log }: { readonly log: Log }) => {
  const described = describeLog(log)
  return (
    <div class="event">
      <p class="event-head">
        <span class="num muted" title="Place among the events of the block">
          #{toNumber(log.logIndex)}
        </span>{' '}
        <AddressLink address={log.address} />
      </p>
      {described === undefined ? (
        <RawLog log={log} />
      ) : (
        <>
          <DecodedValues described={described} />
          <details>
            <summary>Topics and data</summary>
            <RawLog log={log} />
          </details>
        </>
      )}
    </div>
  )
}

export const Events = ({ logs }: { readonly logs: readonly Log[] }) => {
  useStore(abiVersion)
  const [count, setCount] = useState(pageSize)
  if (logs.length === 0) return <Empty>The transaction has no events.</Empty>
  return (
    <>
      <ol class="boxes">
        {logs.slice(0, count).map((log) => (
          <li key={log.logIndex}>
            <EventBox log={log} />
          </li>
        ))}
      </ol>
      {count < logs.length && (
        <button type="button" class="button" onClick={() => setCount(count + 4 * pageSize)}>
          {texts.more}
        </button>
      )}
    </>
  )
}
