import type { MessageInitShape } from '@bufbuild/protobuf'
import type { ChainConfig } from '../../../chain/config/chainConfig.ts'
import { evmDenom } from '../../../cosmos/denom.ts'
import type { ChainConfigSchema } from '../../../cosmos/gen/cosmos/evm/vm/v1/query_pb.ts'

type ConfigInit = MessageInitShape<typeof ChainConfigSchema>

/** The fields of the dialect's message by the names of the fork schedule. */
const members: Readonly<Record<string, keyof ConfigInit>> = {
  homestead: 'homesteadBlock',
  daoFork: 'daoForkBlock',
  eip150: 'eip150Block',
  eip155: 'eip155Block',
  eip158: 'eip158Block',
  byzantium: 'byzantiumBlock',
  constantinople: 'constantinopleBlock',
  petersburg: 'petersburgBlock',
  istanbul: 'istanbulBlock',
  muirGlacier: 'muirGlacierBlock',
  berlin: 'berlinBlock',
  london: 'londonBlock',
  arrowGlacier: 'arrowGlacierBlock',
  grayGlacier: 'grayGlacierBlock',
  mergeNetsplit: 'mergeNetsplitBlock',
  shanghai: 'shanghaiTime',
  cancun: 'cancunTime',
  prague: 'pragueTime',
  osaka: 'osakaTime',
}

/** Converts the fork schedule to the dialect's message, which has no changes of blob parameters. */
export const toConfigMessage = ({ chainId, activations, daoFork }: ChainConfig): ConfigInit => ({
  ...Object.fromEntries(
    activations.flatMap(({ name, at }) => {
      const member = members[name]
      return member === undefined ? [] : [[member, at.toString()]]
    }),
  ),
  daoForkSupport: daoFork?.isSupported ?? false,
  chainId,
  denom: evmDenom,
  decimals: 18n,
})

/** Returns the forks that a trace runs with, by the names of geth's `overrides`. */
export const toForkOverrides = (
  config: ConfigInit | undefined,
): Readonly<Record<string, unknown>> | undefined => {
  if (config === undefined) return undefined
  const given = Object.values(members).flatMap((member) =>
    typeof config[member] === 'string' && config[member] !== '' ? [[member, config[member]]] : [],
  )
  return given.length === 0 ? undefined : Object.fromEntries(given)
}
