import { unsupported } from '../chain/chainError.ts'
import type { ChainControl } from '../chain/port/control.ts'

const rejectedError = (message: string) => async (): Promise<never> => {
  throw unsupported(message)
}

/** The control of a chain that other nodes run: every operation is rejected. */
export const gatewayControl: ChainControl = {
  setHead: rejectedError('a gateway follows the chain behind it: its head is that of the chain'),
  setCoinbase: rejectedError('a gateway proposes no blocks: rewards are set at the validators of the chain'),
  addPeer: rejectedError('a gateway is no peer of the chain: peers are added at the nodes of the chain'),
  removePeer: rejectedError('a gateway is no peer of the chain: peers are removed at the nodes of the chain'),
}
