import type { ListenAddress } from '../config/kinds/addresses.ts'
import type { JsonRpcSettings } from '../config/settings/settings.ts'
import type { ListenerRole } from './transport/listener.ts'
import type { TransportOverrides } from './transport/overrides.ts'

/** Returns the address of a transport: what its starter asks for, else what is configured, else what is usual. */
export const chooseAddress = (
  role: ListenerRole,
  overrides: TransportOverrides,
  settings: Pick<JsonRpcSettings, 'address' | 'wsAddress'>,
): ListenAddress => {
  const configured = role === 'http' ? settings.address : settings.wsAddress
  return {
    host: overrides.host ?? configured?.host ?? '127.0.0.1',
    port: overrides.port ?? configured?.port ?? (role === 'http' ? 8545 : 8546),
  }
}
