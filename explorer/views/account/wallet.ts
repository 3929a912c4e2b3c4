import { toQuantity } from '../../format/numbers.ts'
import { call } from '../../rpc/client.ts'
import type { Hex } from '../../rpc/types.ts'
import { createStore } from '../../state/store.ts'
import { texts } from '../../texts/texts.ts'

/** A provider of EIP-1193. */
interface Provider {
  request(request: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>
}

/** A wallet of this browser that announced itself (EIP-6963). */
export interface Wallet {
  readonly id: string
  readonly name: string
  readonly provider: Provider
}

export interface WantedTransaction {
  readonly to: Hex
  readonly data: Hex
  readonly value: bigint
}

interface Announcement {
  readonly info?: { readonly uuid?: unknown; readonly name?: unknown }
  readonly provider?: Provider
}

export const wallets = createStore<readonly Wallet[]>([])

const addWallet = (wallet: Wallet): void => {
  if (!wallets.get().some(({ id }) => id === wallet.id)) wallets.set([...wallets.get(), wallet])
}

let isLooking = false

/** Asks the wallets of this browser to announce themselves. */
export const findWallets = (): void => {
  if (!isLooking) {
    isLooking = true
    addEventListener('eip6963:announceProvider', (event) => {
      const { info, provider } = ((event as CustomEvent<Announcement>).detail ?? {}) as Announcement
      if (provider === undefined || typeof info?.uuid !== 'string') return
      addWallet({ id: info.uuid, name: String(info.name ?? texts.forms.wallet), provider })
    })
  }
  dispatchEvent(new Event('eip6963:requestProvider'))
  // A wallet from before EIP-6963.
  const { ethereum } = window as { readonly ethereum?: Provider }
  if (wallets.get().length === 0 && ethereum !== undefined)
    addWallet({ id: 'window.ethereum', name: texts.forms.browserWallet, provider: ethereum })
}

/** Sends through a wallet, which asks its owner. It must be on this chain. */
export const sendWithWallet = async (
  { provider }: Wallet,
  { to, data, value }: WantedTransaction,
  chainId: number,
): Promise<Hex> => {
  const [from] = (await provider.request({ method: 'eth_requestAccounts' })) as readonly Hex[]
  if (from === undefined) throw new Error(texts.forms.noAccount)
  const wanted = toQuantity(chainId)
  if (Number(await provider.request({ method: 'eth_chainId' })) !== chainId)
    await provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: wanted }] })
  const params = [{ from, to, data, value: toQuantity(value) }]
  return (await provider.request({ method: 'eth_sendTransaction', params })) as Hex
}

/** Sends from an account that the node of a chain for development signs for. */
export const sendUnlocked = (from: Hex, { to, data, value }: WantedTransaction): Promise<Hex> =>
  call<Hex>('eth_sendTransaction', { from, to, data, value: toQuantity(value) })
