import { maxUint256 } from '../../base/encoding/bytes.ts'
/** An amount of a denomination, in its smallest unit. */
export interface Coin {
  readonly amount: bigint
  readonly denom: string
}

/** The SDK's rule for a coin in text: the amount, then a denomination of 3 to 128 characters. */
const isCoin = /^(\d{1,78})([a-zA-Z][a-zA-Z0-9/:._-]{2,127})$/

/** Returns the coins of a text such as `10aevmos,5ibc/…`, in which several are separated by commas; others are left out. */
export const parseCoins = (text: string): readonly Coin[] =>
  text.split(',').flatMap((part) => {
    const [, digits, denom] = isCoin.exec(part.trim()) ?? []
    if (digits === undefined || denom === undefined) return []
    const amount = BigInt(digits)
    return amount > maxUint256 ? [] : [{ amount, denom }]
  })
