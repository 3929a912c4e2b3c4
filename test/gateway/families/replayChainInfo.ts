import { parseChainConfig } from '../../../src/chain/config/chainConfig.ts'
import type { ChainInfo } from '../../../src/cosmos/chainInfo.ts'
import type { ConversionContext } from '../../../src/families/convert/conversionContext.ts'
import type { SyntheticChain } from '../replay/synthetic.ts'

/** What the gateway would find out about a synthetic chain. */

const london = [
  'homesteadBlock',
  'eip150Block',
  'eip155Block',
  'eip158Block',
  'byzantiumBlock',
  'constantinopleBlock',
  'petersburgBlock',
  'istanbulBlock',
  'berlinBlock',
  'londonBlock',
  'mergeNetsplitBlock',
]
const prague = ['shanghaiTime', 'cancunTime', 'pragueTime']

export const toChainInfo = ({ traits, earliest, earliestState }: SyntheticChain): ChainInfo => {
  const forks = traits.hasConfig ? [...london, ...prague] : london
  return {
    family: traits.family,
    nativeChainId: traits.nativeChainId,
    config: parseChainConfig({
      chainId: Number(traits.chainId),
      ...Object.fromEntries(forks.map((fork) => [fork, 0])),
    }),
    feeDenom: traits.denom,
    decimals: 18,
    bech32Prefix: traits.prefix,
    evmPackage: traits.evmPackage,
    feemarketPackage: traits.feemarketPackage,
    earliestBlock: earliest,
    earliestState,
    hasAppMempool: traits.ownMempool,
  }
}

export const toConversionContext = (chain: SyntheticChain, height: number): ConversionContext => {
  const block = chain.built(height)
  if (block === undefined) throw new Error(`there is no block ${height}`)
  return { miner: block.miner, maxGas: block.maxGas }
}
