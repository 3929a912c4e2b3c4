import { useState } from 'preact/hooks'
import { parseSignature } from '../../src/base/abi/parse.ts'
import { idOf } from '../abi/id.ts'
import { knownItems } from '../abi/known.ts'
import { isAddress, isHash } from '../format/hex.ts'
import { group, toQuantity } from '../format/numbers.ts'
import { head } from '../live/live.ts'
import { useCall } from '../live/useCall.ts'
import { go, linkTo, type Route } from '../page/route.ts'
import { Field } from '../parts/field.tsx'
import { Empty, Heading, Loaded, Panel, useTitle } from '../parts/layout.tsx'
import { Proven } from '../parts/proof.tsx'
import { call } from '../rpc/client.ts'
import type { Hex, Log } from '../rpc/types.ts'
import { texts } from '../texts/texts.ts'
import { EventList } from './transaction/events.tsx'

/** Blocks that are searched where none are given. */
const defaultSpan = 1000

/** A topic as it is typed: hex, an event's signature, an address, a number; undefined if it is none of these. */
const readTopic = (text: string): Hex | undefined => {
  const wanted = text.trim()
  if (isHash(wanted)) return wanted
  if (isAddress(wanted)) return `0x${wanted.slice(2).toLowerCase().padStart(64, '0')}`
  if (/^\d+$/.test(wanted)) return `0x${BigInt(wanted).toString(16).padStart(64, '0')}`
  const item =
    parseSignature('event', wanted) ??
    knownItems().find(({ kind, name }) => kind === 'event' && name === wanted)
  return item && idOf(item)
}

const readBlock = (text: string): string | undefined => {
  const wanted = text.trim().replaceAll(',', '')
  if (/^\d{1,15}$/.test(wanted)) return toQuantity(Number(wanted))
  return /^(?:latest|earliest|safe|finalized)$/.test(wanted) ? wanted : undefined
}

interface Form {
  readonly from: string
  readonly to: string
  readonly address: string
  readonly topics: readonly string[]
}

/** The parameters of eth_getLogs, or what is wrong with a field. */
const readForm = ({
  from,
  to,
  address,
  topics,
}: Form): { readonly filter: object } | { readonly problems: Record<string, string> } => {
  const problems: Record<string, string> = {}
  const fromBlock = readBlock(from)
  const toBlock = readBlock(to)
  if (fromBlock === undefined) problems.from = texts.logs.problems.from
  if (toBlock === undefined) problems.to = texts.logs.problems.to
  const addresses = address.split(/[\s,]+/).filter((one) => one !== '')
  if (!addresses.every(isAddress)) problems.address = texts.logs.problems.address
  const list = topics.map((topic, index) => {
    if (topic.trim() === '') return null
    const value = readTopic(topic)
    if (value === undefined) problems[`topic${index}`] = texts.logs.problems.topic
    return value ?? null
  })
  if (Object.keys(problems).length > 0) return { problems }
  while (list.at(-1) === null) list.pop()
  return {
    filter: {
      fromBlock,
      toBlock,
      ...(addresses.length > 0 && { address: addresses }),
      ...(list.length > 0 && { topics: list }),
    },
  }
}

const Results = ({ filter }: { readonly filter: object }) => {
  const state = useCall(() => call<readonly Log[]>('eth_getLogs', filter), [JSON.stringify(filter)])
  return (
    <Loaded state={state}>
      {(logs) =>
        logs.length === 0 ? (
          <Empty>{texts.logs.noMatch}</Empty>
        ) : (
          <>
            <p class="muted" role="status">
              {group(logs.length)} {logs.length === 1 ? texts.logs.one : texts.logs.many},{' '}
              {texts.logs.newestFirst}
            </p>
            <EventList logs={logs.toReversed()} hasPlace />
          </>
        )
      }
    </Loaded>
  )
}

export const LogsView = ({ route: { query } }: { readonly route: Route }) => {
  useTitle(texts.nav.logs)
  const [form, setForm] = useState<Form>(() => ({
    from: query.from ?? String(Math.max(0, (head.get() ?? 0) - defaultSpan)),
    to: query.to ?? 'latest',
    address: query.address ?? '',
    topics: [query.t0 ?? '', query.t1 ?? '', query.t2 ?? '', query.t3 ?? ''],
  }))
  const read = readForm(form)
  const problems = 'problems' in read ? read.problems : {}
  const asked =
    Object.keys(query).length > 0
      ? readForm({
          from: query.from ?? '0',
          to: query.to ?? 'latest',
          address: query.address ?? '',
          topics: [query.t0 ?? '', query.t1 ?? '', query.t2 ?? '', query.t3 ?? ''],
        })
      : undefined
  const events = [
    ...new Set(
      knownItems()
        .filter(({ kind }) => kind === 'event')
        .map(({ name }) => name),
    ),
  ]
  const submit = (event: Event): void => {
    event.preventDefault()
    if ('problems' in read) return
    const [t0, t1, t2, t3] = form.topics
    go(linkTo('logs', [], { from: form.from, to: form.to, address: form.address, t0, t1, t2, t3 }))
  }
  return (
    <>
      <Heading kind={texts.nav.logs} aside={<Proven />} />
      <Panel>
        <form onSubmit={submit}>
          <div class="row">
            <Field
              label={texts.logs.fromBlock}
              value={form.from}
              problem={problems.from}
              onInput={(from) => setForm({ ...form, from })}
            />
            <Field
              label={texts.logs.toBlock}
              value={form.to}
              problem={problems.to}
              onInput={(to) => setForm({ ...form, to })}
            />
          </div>
          <Field
            label={texts.logs.contracts}
            value={form.address}
            isMono
            placeholder="0x…"
            problem={problems.address}
            onInput={(address) => setForm({ ...form, address })}
          />
          <div class="row">
            {form.topics.map((topic, index) => (
              <Field
                key={index}
                label={index === 0 ? texts.logs.event : texts.logs.topicLabel(index)}
                value={topic}
                isMono
                placeholder={index === 0 ? texts.logs.eventExample : texts.logs.any}
                problem={problems[`topic${index}`]}
                {...(index === 0 && { list: events })}
                onInput={(value) =>
                  setForm({ ...form, topics: form.topics.map((old, at) => (at === index ? value : old)) })
                }
              />
            ))}
          </div>
          <button type="submit" class="button primary" disabled={'problems' in read}>
            {texts.logs.search}
          </button>
        </form>
      </Panel>
      {asked !== undefined && 'filter' in asked && <Results filter={asked.filter} />}
    </>
  )
}
