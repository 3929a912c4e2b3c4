import { badUsage } from '../../../base/exit.ts'
import type { Provider } from '../../../service/rpc/providerTypes.ts'
import type { AnvilFlags } from './flags.ts'

const methodNotFound = -32601

/** Calls a dev method for a flag. Throws an ExitError of one line if the method is missing or rejects. */
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
    // The name of a parameter says nothing to somebody who gave a flag.
    throw badUsage(`--${flag}: ${message.replace(/^parameter \d+ \(\w+\): /, '')}`)
  }
}

/** The blocks of a fork go on from the gas limit and the base fee of the remote, unless flags say otherwise. */
const overrideForkBlock = async (flags: AnvilFlags, provider: Provider): Promise<void> => {
  const hex = (value: string): string => `0x${BigInt(value).toString(16)}`
  const gasLimit = flags.get('gas-limit')
  const baseFee = flags.get('base-fee')
  if (gasLimit !== undefined)
    await callForFlag(provider, 'gas-limit', 'evm_setBlockGasLimit', [hex(gasLimit)])
  if (baseFee !== undefined)
    await callForFlag(provider, 'base-fee', 'anvil_setNextBlockBaseFeePerGas', [hex(baseFee)])
}

/** The first block after the genesis has its base fee, as in anvil; by the rules it would be an eighth less. */
const keepFirstBaseFee = async (provider: Provider): Promise<void> => {
  const first = await provider.request({ method: 'eth_getBlockByNumber', params: ['0x0', false] })
  const { baseFeePerGas } = first as { readonly baseFeePerGas?: string } // a block
  if (baseFeePerGas !== undefined)
    await callForFlag(provider, 'base-fee', 'anvil_setNextBlockBaseFeePerGas', [baseFeePerGas])
}

/** Does what flags ask for beyond settings, before the node says that it listens. */
export const runStartActions = async (flags: AnvilFlags, provider: Provider): Promise<void> => {
  if (flags.has('no-mining')) await callForFlag(provider, 'no-mining', 'evm_setAutomine', [false])
  if (flags.has('auto-impersonate'))
    await callForFlag(provider, 'auto-impersonate', 'anvil_autoImpersonateAccount', [true])
  if (flags.has('fork-url')) await overrideForkBlock(flags, provider)
  else await keepFirstBaseFee(provider)
  // Blocks follow the time of the first one, not that of this computer.
  const timestamp = flags.get('timestamp')
  if (timestamp !== undefined) await callForFlag(provider, 'timestamp', 'anvil_setTime', [Number(timestamp)])
}
