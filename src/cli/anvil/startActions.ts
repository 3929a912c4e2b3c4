import { badUsage } from '../../base/exit.ts'
import type { Provider } from '../../service/providerTypes.ts'
import type { AnvilFlags } from './flags.ts'

const methodNotFound = -32601

/** Calls a dev method for a flag. Throws an ExitError of one line if the method is missing or refuses. */
export const callForFlag = async (
  provider: Provider,
  flag: string,
  method: string,
  params: readonly unknown[],
): Promise<unknown> => {
  try {
    return await provider.request({ method, params })
  } catch (error) {
    const { code, message } = error as { readonly code?: number; readonly message: string }
    if (code === methodNotFound) throw badUsage(`--${flag} cannot be honoured: ${method} is not built yet`)
    throw badUsage(`--${flag}: ${message}`)
  }
}

/** Does what flags ask for beyond settings, before anybody is told that the node listens. */
export const runStartActions = async (flags: AnvilFlags, provider: Provider): Promise<void> => {
  if (flags.has('no-mining')) await callForFlag(provider, 'no-mining', 'evm_setAutomine', [false])
  if (flags.has('auto-impersonate'))
    await callForFlag(provider, 'auto-impersonate', 'anvil_autoImpersonateAccount', [true])
  // Blocks follow the time of the first one, not that of this computer.
  const timestamp = flags.get('timestamp')
  if (timestamp !== undefined) await callForFlag(provider, 'timestamp', 'anvil_setTime', [Number(timestamp)])
}
