import type { Decoded } from '../../src/base/abi/decode.ts'
import { describeItem } from '../../src/base/abi/item.ts'
import type { Described } from '../abi/describe.ts'
import { isAddress } from '../format/hex.ts'
import { group } from '../format/numbers.ts'
import { texts } from '../texts/texts.ts'
import { AddressLink, HexValue } from './link.tsx'
import { SafeText, safeText } from './safeText.tsx'

/** Hex of more characters than this is cut short. */
const longHex = 70
/** Characters of the name of a value. */
const maxName = 60
/** Items of a list that are shown at once. */
const shownItems = 50

const Value = ({ type, value }: Pick<Decoded, 'type' | 'value'>) => {
  if (Array.isArray(value)) return <ValueList list={value as readonly Decoded[]} />
  if (typeof value === 'bigint') return <span class="num break">{group(value)}</span>
  if (typeof value === 'boolean') return <span>{String(value)}</span>
  const text = value as string
  if (type === 'address' && isAddress(text)) return <AddressLink address={text} />
  if (type === 'string') return <SafeText text={text} />
  return text.length > longHex ? <HexValue text={text} /> : <span class="mono break">{safeText(text)}</span>
}

const ValueList = ({ list }: { readonly list: readonly Decoded[] }) =>
  list.length === 0 ? (
    <span class="muted">{texts.empty}</span>
  ) : (
    <ol class="values" start={0}>
      {list.slice(0, shownItems).map((one, index) => (
        <li key={`${one.name}${index}`}>
          <span class="muted">
            <SafeText text={one.name || `${index}`} max={maxName} />
          </span>{' '}
          <Value type={one.type} value={one.value} />
        </li>
      ))}
      {list.length > shownItems && <li class="muted">{texts.moreOf(list.length - shownItems)}</li>}
    </ol>
  )

/** Values with the names and the types that an ABI gives them; a single one without a name needs none. */
export const NamedValues = ({ values }: { readonly values: readonly Decoded[] }) => (
  <dl class="facts tight">
    {values.map(({ name, type, value }, index) => (
      <div key={`${name}${index}`}>
        <dt>
          <SafeText text={name || (values.length > 1 ? `${index}` : '')} max={maxName} />{' '}
          <span class="type">{type}</span>
        </dt>
        <dd>
          <Value type={type} value={value} />
        </dd>
      </div>
    ))}
  </dl>
)

/** A call, an event or an error with its values. */
export const DecodedValues = ({ described }: { readonly described: Described }) => (
  <div class="decoded">
    <p class="mono break">
      <SafeText text={describeItem(described.item)} max={400} />
    </p>
    {described.values.length > 0 && <NamedValues values={described.values} />}
  </div>
)
