import { formatPercent, group, toBig, toNumber } from '../format/numbers.ts'
import { head } from '../live/live.ts'
import { useCall } from '../live/useCall.ts'
import { Heading, Loaded, useTitle } from '../parts/layout.tsx'
import { AddressLink, HexValue } from '../parts/link.tsx'
import { Meter } from '../parts/status.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { call } from '../rpc/client.ts'
import type { Validator } from '../rpc/types.ts'
import { useStore } from '../state/store.ts'
import { texts } from '../texts/texts.ts'

/** Blocks between two looks at the validators, who rarely change. */
const every = 20

const columnsFor = (total: number): readonly Column<Validator>[] => [
  { name: texts.validators.validator, cell: ({ cometbftAddress }) => <HexValue text={cometbftAddress} /> },
  { name: texts.validators.publicKey, isMinor: true, cell: ({ pubkey }) => <HexValue text={pubkey} /> },
  {
    name: texts.validators.power,
    isNumber: true,
    cell: ({ power }) => (
      <span class="with-meter">
        <span class="muted">{formatPercent(toNumber(power), total)}</span> {group(toBig(power))}
        <Meter value={toNumber(power)} max={total} />
      </span>
    ),
  },
  {
    name: texts.names.feesTo,
    cell: ({ reward }) =>
      reward === null ? (
        <span class="muted">{texts.validators.nobody}</span>
      ) : (
        <AddressLink address={reward} />
      ),
  },
]

export const ValidatorsView = () => {
  useTitle(texts.nav.validators)
  const period = useStore(head, (number) => Math.floor((number ?? 0) / every))
  const state = useCall(() => call<readonly Validator[]>('perihelion_validators', 'latest'), [], period)
  return (
    <>
      <Heading kind={texts.nav.validators} />
      <Loaded state={state}>
        {(validators) => {
          const total = validators.reduce((sum, { power }) => sum + toNumber(power), 0)
          return (
            <>
              <p class="muted">
                {texts.validators.about(validators.length, group(Math.floor((2 * total) / 3)), group(total))}
              </p>
              <Table
                caption={texts.validators.caption}
                columns={columnsFor(total)}
                rows={validators}
                keyOf={({ pubkey }) => pubkey}
              />
            </>
          )
        }}
      </Loaded>
    </>
  )
}
