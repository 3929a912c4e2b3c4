import { useState } from 'preact/hooks'
import { hexToBytes, isAddress, isHash, keccak } from '../../format/hex.ts'
import { Field } from '../../parts/field.tsx'
import { Facts, Panel } from '../../parts/layout.tsx'
import { HexValue } from '../../parts/link.tsx'
import { Problem } from '../../parts/problem.tsx'
import { Proven } from '../../parts/proof.tsx'
import { SafeText } from '../../parts/safeText.tsx'
import { call } from '../../rpc/client.ts'
import type { Hex } from '../../rpc/types.ts'
import { texts } from '../../texts/texts.ts'

const word = (text: string): Hex | undefined => {
  const wanted = text.trim()
  if (isHash(wanted)) return wanted
  if (isAddress(wanted)) return `0x${wanted.slice(2).padStart(64, '0')}`
  if (!/^(?:\d+|0x[0-9a-fA-F]{1,64})$/.test(wanted)) return undefined
  const digits = BigInt(wanted).toString(16)
  return digits.length > 64 ? undefined : `0x${digits.padStart(64, '0')}`
}

/** The slot of a mapping's entry: the hash of its key and the mapping's own slot. */
const slotOf = (slot: Hex, key: Hex): Hex => keccak(hexToBytes(`${key}${slot.slice(2)}`))

interface Found {
  readonly slot: Hex
  readonly value: Hex
}

/** Reads a slot of storage, or the entry of a mapping. */
export const StorageLookup = ({ address }: { readonly address: Hex }) => {
  const [slot, setSlot] = useState('0')
  const [key, setKey] = useState('')
  const [found, setFound] = useState<Found>()
  const [error, setError] = useState<unknown>()
  const base = word(slot)
  const entry = key.trim() === '' ? undefined : word(key)
  const isWrong = base === undefined || (key.trim() !== '' && entry === undefined)
  const look = async (event: Event): Promise<void> => {
    event.preventDefault()
    if (base === undefined || isWrong) return
    const place = entry === undefined ? base : slotOf(base, entry)
    try {
      setFound({ slot: place, value: await call<Hex>('eth_getStorageAt', address, place, 'latest') })
      setError(undefined)
    } catch (problem) {
      setError(problem)
    }
  }
  const value = found && BigInt(found.value)
  const text = found && readShortText(found.value)
  return (
    <Panel>
      <form onSubmit={(event) => void look(event)}>
        <div class="row">
          <Field
            label={texts.names.slot}
            value={slot}
            isMono
            onInput={setSlot}
            problem={base === undefined ? texts.storage.slotKinds : undefined}
          />
          <Field
            label={texts.storage.key}
            value={key}
            isMono
            placeholder={texts.storage.keyKinds}
            onInput={setKey}
          />
        </div>
        <button type="submit" class="button primary" disabled={isWrong}>
          {texts.forms.read}
        </button>
      </form>
      {error !== undefined && <Problem error={error} />}
      {found !== undefined && (
        <Facts
          rows={[
            [texts.names.slot, <HexValue text={found.slot} isFull />],
            [
              texts.names.value,
              <>
                <HexValue text={found.value} isFull /> <Proven />
              </>,
            ],
            [texts.storage.asNumber, <span class="num break">{String(value)}</span>],
            [texts.storage.asText, text && <SafeText text={text} />],
          ]}
        />
      )}
    </Panel>
  )
}

/** A short string as Solidity stores it: its bytes, and twice their length in the last byte. */
const readShortText = (value: Hex): string | undefined => {
  const bytes = hexToBytes(value)
  const length = (bytes[31] ?? 0) / 2
  if (!Number.isInteger(length) || length === 0 || length > 31) return undefined
  if (bytes.subarray(length, 31).some((byte) => byte !== 0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, length))
  } catch {
    return undefined
  }
}
