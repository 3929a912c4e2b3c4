import { actionName } from '../abi/describe.ts'
import { abiVersion } from '../abi/registry.ts'
import { shorten } from '../format/hex.ts'
import type { Transaction } from '../rpc/types.ts'
import { useStore } from '../state/store.ts'
import { SafeText } from './safeText.tsx'

interface MethodProps {
  readonly transaction: Transaction
  /** How much of it is shown. */
  readonly characters: number
}

/** What a transaction does in a word. The ABI that names it may come later. */
export const Method = ({ transaction, characters }: MethodProps) => {
  useStore(abiVersion)
  return (
    <span class="method">
      <SafeText text={shorten(actionName(transaction), characters, 2)} />
    </span>
  )
}
