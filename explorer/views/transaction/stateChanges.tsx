import type { ComponentChildren } from 'preact'
import { formatBytes, group, toBig } from '../../format/numbers.ts'
import { useCall } from '../../live/useCall.ts'
import { Amount } from '../../parts/amount.tsx'
import { Empty, Loaded } from '../../parts/layout.tsx'
import { AddressLink, WordValue } from '../../parts/link.tsx'
import { Paged } from '../../parts/paged.tsx'
import { safeText } from '../../parts/safeText.tsx'
import { call } from '../../rpc/client.ts'
import type { Hex, StateDiff } from '../../rpc/types.ts'
import { texts } from '../../texts/texts.ts'

interface Change {
  readonly name: ComponentChildren
  readonly key: string
  readonly before: ComponentChildren
  readonly after: ComponentChildren
}

/** Accounts, and changes of one, that are shown at first: a transaction can write thousands of slots. */
const maxAccounts = 50
const maxChanges = 100

const zero = `0x${'0'.repeat(64)}` as Hex

const Difference = ({
  before,
  after,
}: {
  readonly before: Hex | undefined
  readonly after: Hex | undefined
}) => {
  const change = toBig(after) - toBig(before)
  return (
    <span>
      <Amount wei={after} isFull />{' '}
      <span class="muted num">
        ({change > 0n ? '+' : '−'}
        <Amount wei={change < 0n ? -change : change} />)
      </span>
    </span>
  )
}

const changesOf = (address: Hex, { pre, post }: StateDiff): readonly Change[] => {
  const before = pre[address] ?? {}
  // What is in `pre` alone was removed; in `post` stands what is different.
  const after = post[address] ?? {}
  const changes: Change[] = []
  if (after.balance !== undefined)
    changes.push({
      key: 'balance',
      name: texts.names.balance,
      before: <Amount wei={before.balance} isFull />,
      after: <Difference before={before.balance} after={after.balance} />,
    })
  if (after.nonce !== undefined)
    changes.push({
      key: 'nonce',
      name: texts.names.nonce,
      before: group(before.nonce ?? 0),
      after: group(after.nonce),
    })
  if (after.code !== undefined)
    changes.push({
      key: 'code',
      name: texts.names.code,
      before: formatBytes(((before.code?.length ?? 2) - 2) / 2),
      after: formatBytes((after.code.length - 2) / 2),
    })
  for (const slot of new Set([...Object.keys(before.storage ?? {}), ...Object.keys(after.storage ?? {})]))
    changes.push({
      key: slot,
      name: (
        <span>
          {texts.names.slot} <WordValue word={slot as Hex} />
        </span>
      ),
      before: <WordValue word={before.storage?.[slot] ?? zero} />,
      after: <WordValue word={after.storage?.[slot] ?? zero} />,
    })
  return changes
}

const ChangeTable = ({
  address,
  changes,
}: {
  readonly address: Hex
  readonly changes: readonly Change[]
}) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard
  <section class="scroll" tabIndex={0} aria-label={texts.state.of(safeText(address, 60))}>
    <table class="tight thirds cards">
      <thead>
        <tr>
          <th scope="col">{texts.state.what}</th>
          <th scope="col">{texts.state.before}</th>
          <th scope="col">{texts.state.after}</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ key, name, before, after }) => (
          <tr key={key}>
            <td data-label={texts.state.what}>{name}</td>
            <td class="num" data-label={texts.state.before}>
              {before}
            </td>
            <td class="num" data-label={texts.state.after}>
              {after}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)

/** What a transaction changed: balances, nonces, code and storage. */
export const StateChanges = ({ hash }: { readonly hash: Hex }) => {
  const state = useCall(
    () =>
      call<StateDiff>('debug_traceTransaction', hash, {
        tracer: 'prestateTracer',
        tracerConfig: { diffMode: true },
      }),
    [hash],
  )
  return (
    <Loaded state={state}>
      {(diff) => {
        const addresses = [...new Set([...Object.keys(diff.pre), ...Object.keys(diff.post)])] as Hex[]
        if (addresses.length === 0) return <Empty>{texts.state.nothing}</Empty>
        return (
          <Paged list={addresses} first={maxAccounts} step={maxAccounts}>
            {(shown) => (
              <ul class="boxes">
                {shown.map((address) => (
                  <li key={address} class="event">
                    <p class="event-head">
                      <AddressLink address={address} isFull />
                    </p>
                    <Paged list={changesOf(address, diff)} first={maxChanges} step={5 * maxChanges}>
                      {(changes) => <ChangeTable address={address} changes={changes} />}
                    </Paged>
                  </li>
                ))}
              </ul>
            )}
          </Paged>
        )
      }}
    </Loaded>
  )
}
