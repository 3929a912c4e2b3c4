import { unsupported } from '../chain/chainError.ts'
import type { Control } from '../chain/port/control.ts'

const refuse = (message: string) => async (): Promise<never> => {
  throw unsupported(message)
}

/** What an operator can do to a chain that others run: nothing. */
export const gatewayControl: Control = {
  setHead: refuse('a gateway follows the chain behind it: its head is that of the chain'),
  setCoinbase: refuse('a gateway proposes no blocks: rewards are set at the validators of the chain'),
  addPeer: refuse('a gateway is no peer of the chain: peers are added at the nodes of the chain'),
}
