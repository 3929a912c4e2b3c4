import type { MessageInitShape } from '@bufbuild/protobuf'
import type { ChainConfig } from '../../../chain/config/chainConfig.ts'
import { evmDenom } from '../../../cosmos/denom.ts'
import type { ChainConfigSchema } from '../../../cosmos/gen/cosmos/evm/vm/v1/query_pb.ts'

type ConfigInit = MessageInitShape<typeof ChainConfigSchema>

/** The dialect's members by the names of a schedule's entries. */
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

/** The schedule in the dialect, which knows no changes of blob counts. */
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

/** Forks that a trace is to run with, as geth's `overrides` names them. */
export const toForkOverrides = (
  config: ConfigInit | undefined,
): Readonly<Record<string, unknown>> | undefined => {
  if (config === undefined) return undefined
  const given = Object.values(members).flatMap((member) =>
    typeof config[member] === 'string' && config[member] !== '' ? [[member, config[member]]] : [],
  )
  return given.length === 0 ? undefined : Object.fromEntries(given)
}
