import { abiOf } from '../abi/registry.ts'
import { shorten, toChecksum } from '../format/hex.ts'
import { linkTo } from '../route.ts'
import type { Hex } from '../rpc/types.ts'
import { CopyButton } from './copy.tsx'
import { SafeText } from './safeText.tsx'

interface HexProps {
  /** Whether all digits are shown, as in the head of a view. */
  readonly isFull?: boolean
}

/** A hash or an address: short in the middle, whole for those who point at it, copy it or hear it. */
const HexText = ({ text, isFull }: HexProps & { readonly text: string }) =>
  isFull ? (
    <span class="mono break">{text}</span>
  ) : (
    <span class="mono" title={text}>
      {shorten(text)}
    </span>
  )

export const AddressLink = ({ address, isFull }: HexProps & { readonly address: Hex }) => {
  const name = abiOf(address)?.name
  const text = toChecksum(address)
  return (
    <span class="hex">
      <a href={linkTo('address', [address])}>
        {name !== undefined && !isFull ? (
          <SafeText text={name} max={24} />
        ) : (
          <HexText text={text} isFull={isFull ?? false} />
        )}
      </a>
      <CopyButton text={text} />
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
