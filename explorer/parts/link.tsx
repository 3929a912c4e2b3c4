import { useEffect } from 'preact/hooks'
import { abiOf, abiVersion, notice } from '../abi/registry.ts'
import { shorten, toChecksum } from '../format/hex.ts'
import { nodeFacts } from '../live/node.ts'
import { linkTo } from '../page/route.ts'
import type { Hex } from '../rpc/types.ts'
import { useStore } from '../state/store.ts'
import { texts } from '../texts/texts.ts'
import { CopyButton } from './copy.tsx'
import { SafeText, safeText } from './safeText.tsx'

interface HexProps {
  /** Whether all digits are shown, as in the head of a view. */
  readonly isFull?: boolean
}

/** More than any hash or address has. */
const longestTitle = 200

/** A hash or an address: short in the middle, whole for those who point at it, copy it or hear it. */
const HexText = ({ text, isFull }: HexProps & { readonly text: string }) =>
  isFull ? (
    <span class="mono break">{safeText(text)}</span>
  ) : (
    <span class="mono" title={safeText(text, longestTitle)}>
      {safeText(shorten(text))}
    </span>
  )

/** The address without code that contracts call to write a line with console.log. */
export const isConsole = (address: string): boolean =>
  address.toLowerCase() === '0x000000000000000000636f6e736f6c652e6c6f67'

export const AddressLink = ({ address, isFull }: HexProps & { readonly address: Hex }) => {
  const version = useStore(abiVersion)
  const isDev = useStore(nodeFacts, (facts) => facts?.isDev ?? false)
  useEffect(() => notice(address), [address, isDev, version])
  const name = abiOf(address)?.name ?? (isConsole(address) ? texts.consoleContract : undefined)
  const text = toChecksum(address)
  return (
    <span class="hex">
      <a
        href={linkTo('address', [address])}
        title={name === undefined ? undefined : safeText(text, longestTitle)}
      >
        {name !== undefined && !isFull ? (
          <SafeText text={name} max={24} />
        ) : (
          <HexText text={text} isFull={isFull ?? false} />
        )}
      </a>
      <CopyButton text={text} />
      {name !== undefined && isFull === true && (
        <span class="muted">
          <SafeText text={name} max={24} />
        </span>
      )}
    </span>
  )
}

export const TransactionLink = ({ hash, isFull }: HexProps & { readonly hash: Hex }) => (
  <span class="hex">
    <a href={linkTo('tx', [hash])}>
      <HexText text={hash} isFull={isFull ?? false} />
    </a>
    <CopyButton text={hash} />
  </span>
)

export const BlockLink = ({ number }: { readonly number: number | bigint | Hex }) => (
  <a class="num" href={linkTo('block', [Number(number)])}>
    {Number(number).toLocaleString('en-US')}
  </a>
)

/** A text that can be copied and leads nowhere. */
export const HexValue = ({ text, isFull }: HexProps & { readonly text: string }) => (
  <span class="hex">
    <HexText text={text} isFull={isFull ?? false} />
    <CopyButton text={text} />
  </span>
)

/** Digits of a word that are shown whole. */
const shortWord = 20

/** A word of storage: without the zeros before it, which say nothing, but whole for those who copy it. */
export const WordValue = ({ word }: { readonly word: Hex }) => {
  const digits = word.slice(2).replace(/^0+(?=.)/, '')
  return (
    <span class="hex">
      <span class={digits === '0' ? 'mono muted' : 'mono'} title={safeText(word, longestTitle)}>
        {safeText(digits.length <= shortWord ? `0x${digits}` : shorten(`0x${digits}`, 12, 8))}
      </span>
      <CopyButton text={word} />
    </span>
  )
}
