import { useState } from 'preact/hooks'
import type { AbiItem } from '../../../src/base/abi/item.ts'
import { parseUnits } from '../../format/numbers.ts'
import { nodeFacts } from '../../live/node.ts'
import { Field } from '../../parts/field.tsx'
import { TransactionLink } from '../../parts/link.tsx'
import { SafeText } from '../../parts/safeText.tsx'
import type { Hex } from '../../rpc/types.ts'
import { texts } from '../../texts/texts.ts'
import { CallProblem } from './callProblem.tsx'
import { ParameterFields, useParameters } from './parameterFields.tsx'
import { sendUnlocked, sendWithWallet, type Wallet, type WantedTransaction } from './wallet.ts'

export type Sender =
  | { readonly wallet: Wallet; readonly account?: undefined }
  | { readonly account: Hex; readonly wallet?: undefined }

interface WriteFormProps {
  readonly item: AbiItem
  readonly address: Hex
  readonly sender: Sender | undefined
}

const send = (sender: Sender, transaction: WantedTransaction): Promise<Hex> =>
  sender.wallet !== undefined
    ? sendWithWallet(sender.wallet, transaction, nodeFacts.get()?.chainId ?? 0)
    : sendUnlocked(sender.account, transaction)

/** A function that changes something: sent by a wallet, which asks its owner, or by an account of a dev chain. */
export const WriteForm = ({ item, address, sender }: WriteFormProps) => {
  const parameters = useParameters(item)
  const [value, setValue] = useState('')
  const [hash, setHash] = useState<Hex>()
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const isPayable = item.mutability === 'payable'
  const wei = value.trim() === '' ? 0n : parseUnits(value, 18)
  const write = async (): Promise<void> => {
    const data = parameters.encode()
    if (data === undefined || wei === undefined || sender === undefined) return
    setBusy(true)
    setError(undefined)
    setHash(undefined)
    try {
      setHash(await send(sender, { to: address, data, value: wei }))
    } catch (problem) {
      setError(problem)
    } finally {
      setBusy(false)
    }
  }
  return (
    <details class="function">
      <summary>
        <SafeText text={item.name} max={80} />{' '}
        {isPayable && <span class="badge plain">{texts.forms.payable}</span>}
      </summary>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void write()
        }}
      >
        <ParameterFields item={item} parameters={parameters} />
        {isPayable && (
          <Field
            label={texts.forms.value}
            value={value}
            placeholder="0"
            problem={wei === undefined ? texts.amountWanted : undefined}
            onInput={setValue}
          />
        )}
        <button type="submit" class="button small" disabled={sender === undefined || isBusy}>
          {isBusy ? texts.forms.sending : texts.forms.write}
        </button>
        {error !== undefined && <CallProblem error={error} address={address} />}
        {hash !== undefined && (
          <p class="result" role="status">
            {texts.forms.sent} <TransactionLink hash={hash} />
          </p>
        )}
      </form>
    </details>
  )
}
