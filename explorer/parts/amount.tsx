import { formatGwei, formatUnits, formatUnitsShort, toBig } from '../format/numbers.ts'
import { nodeFacts } from '../live/node.ts'
import type { Hex } from '../rpc/types.ts'
import { useStore } from '../state/store.ts'
import { unitName } from '../texts/texts.ts'

interface AmountProps {
  readonly wei: Hex | bigint | undefined
  readonly isFull?: boolean
}

const longText = 26

/** An amount of the chain's coin, whole for those who point at it. */
export const Amount = ({ wei, isFull }: AmountProps) => {
  const unit = useStore(nodeFacts, (facts) => unitName(facts?.isDev ?? false))
  const value = typeof wei === 'bigint' ? wei : toBig(wei)
  const full = formatUnits(value, 18)
  const text = isFull ? full : formatUnitsShort(value, 18)
  // What is longer than any line of a phone must break somewhere.
  const wrap = text.length > longText ? 'break' : 'nowrap'
  return (
    <span class={`num ${wrap} ${value === 0n ? 'muted' : ''}`} title={`${full} ${unit}`}>
      {text} <span class="unit">{unit}</span>
    </span>
  )
}

export const Gwei = ({ wei }: { readonly wei: Hex | bigint | undefined }) => (
  <span class="num nowrap">{formatGwei(typeof wei === 'bigint' ? wei : toBig(wei))}</span>
)
