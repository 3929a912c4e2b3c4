import { useEffect, useState } from 'preact/hooks'
import type { AbiItem } from '../../../src/base/abi/item.ts'
import { idOf } from '../../abi/id.ts'
import { abiOf, abiVersion, forgetAbi } from '../../abi/registry.ts'
import { isAddress } from '../../format/hex.ts'
import { nodeFacts } from '../../live/node.ts'
import { useCall } from '../../live/useCall.ts'
import { Panel } from '../../parts/layout.tsx'
import { SafeText, safeText } from '../../parts/safeText.tsx'
import { call } from '../../rpc/client.ts'
import type { Hex } from '../../rpc/types.ts'
import { useStore } from '../../state/store.ts'
import { texts } from '../../texts/texts.ts'
import { AbiDrop } from './abiDrop.tsx'
import { ReadForm } from './readForm.tsx'
import { findWallets, wallets } from './wallet.ts'
import { type Sender, WriteForm } from './writeForm.tsx'

interface SenderChoiceProps {
  readonly senders: readonly (Sender & { readonly key: string; readonly label: string })[]
  readonly chosen: string
  readonly onChoose: (key: string) => void
}

const SenderChoice = ({ senders, chosen, onChoose }: SenderChoiceProps) => (
  <div class="field">
    <label for="sender">{texts.forms.writeAs}</label>
    <select id="sender" value={chosen} onChange={(event) => onChoose(event.currentTarget.value)}>
      {senders.map(({ key, label }) => (
        <option key={key} value={key}>
          {label}
        </option>
      ))}
    </select>
  </div>
)

/** Who could send: the wallets of the browser, and on a chain for development the accounts that the node signs for. */
const useSenders = (): readonly (Sender & { readonly key: string; readonly label: string })[] => {
  useEffect(findWallets, [])
  const found = useStore(wallets)
  const isDev = useStore(nodeFacts, (facts) => facts?.isDev ?? false)
  const accounts = useCall(
    () => (isDev ? call<readonly Hex[]>('eth_accounts') : Promise.resolve([])),
    [isDev],
  )
  return [
    ...found.map((wallet) => ({ wallet, key: wallet.id, label: safeText(wallet.name, 40) })),
    ...(accounts.data ?? []).filter(isAddress).map((account, index) => ({
      account,
      key: account,
      label: texts.forms.accountOf(index, account),
    })),
  ]
}

const Functions = ({ items, address }: { readonly items: readonly AbiItem[]; readonly address: Hex }) => {
  const senders = useSenders()
  const [chosen, setChosen] = useState('')
  const sender = senders.find(({ key }) => key === chosen) ?? senders[0]
  const functions = items.filter(({ kind }) => kind === 'function')
  const reads = functions.filter(({ mutability }) => mutability === 'view')
  const writes = functions.filter(({ mutability }) => mutability !== 'view')
  return (
    <div class="columns">
      <Panel title={texts.forms.read}>
        {reads.length === 0 && <p class="muted">{texts.forms.noReads}</p>}
        {reads.map((item) => (
          <ReadForm key={idOf(item)} item={item} address={address} />
        ))}
      </Panel>
      <Panel title={texts.forms.write}>
        {senders.length === 0 ? (
          <p class="muted">{texts.forms.noWallet}</p>
        ) : (
          <SenderChoice senders={senders} chosen={sender?.key ?? ''} onChoose={setChosen} />
        )}
        {writes.map((item) => (
          <WriteForm key={idOf(item)} item={item} address={address} sender={sender} />
        ))}
      </Panel>
    </div>
  )
}

/** Forms for the functions of a contract, from an ABI that the reader gives. */
export const ContractForms = ({ address }: { readonly address: Hex }) => {
  useStore(abiVersion)
  const abi = abiOf(address)
  if (abi === undefined) return <AbiDrop address={address} />
  return (
    <>
      <p class="row">
        <span>
          {texts.account.abi} <SafeText text={abi.name} max={60} />, {texts.abi.keptBy[abi.keptBy]}
        </span>
        {abi.keptBy !== 'compiler' && (
          <button type="button" class="button small" onClick={() => void forgetAbi(address)}>
            {texts.abi.forget}
          </button>
        )}
      </p>
      <Functions items={abi.items} address={address} />
    </>
  )
}
