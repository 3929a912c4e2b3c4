import { formatPercent, group, toBig, toNumber } from '../format/numbers.ts'
import { head } from '../live/live.ts'
import { Heading, Loaded, useTitle } from '../parts/layout.tsx'
import { AddressLink, HexValue } from '../parts/link.tsx'
import { Meter } from '../parts/status.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { call } from '../rpc/client.ts'
import type { Validator } from '../rpc/types.ts'
import { useStore } from '../store.ts'
import { useCall } from '../useCall.ts'

/** Blocks between two looks at the validators, who rarely change. */
const every = 20

const columnsFor = (total: number): readonly Column<Validator>[] => [
  { name: 'Validator', cell: ({ cometbftAddress }) => <HexValue text={cometbftAddress} /> },
  { name: 'Public key', isMinor: true, cell: ({ pubkey }) => <HexValue text={pubkey} /> },
  {
    name: 'Power',
    isNumber: true,
    cell: ({ power }) => (
      <span class="with-meter">
        <span class="muted">{formatPercent(toNumber(power), total)}</span> {group(toBig(power))}
        <Meter value={toNumber(power)} max={total} />
      </span>
    ),
  },
  {
    name: 'Fees to',
    cell: ({ reward }) =>
      reward === null ? <span class="muted">nobody</span> : <AddressLink address={reward} />,
  },
]

export const ValidatorsView = () => {
  useTitle('Validators')
  const period = useStore(head, (number) => Math.floor((number ?? 0) / every))
  const state = useCall(() => call<readonly Validator[]>('perihelion_validators', 'latest'), [period])
  return (
    <>
      <Heading kind="Validators" />
      <Loaded state={state}>
        {(validators) => {
          const total = validators.reduce((sum, { power }) => sum + toNumber(power), 0)
          return (
            <>
              <p class="muted">
                {validators.length} {validators.length === 1 ? 'validator decides' : 'validators decide'} the
                next block; a block needs the votes of more than {group(Math.floor((2 * total) / 3))} of{' '}
                {group(total)}.
              </p>
              <Table
                caption="Validators by power"
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
