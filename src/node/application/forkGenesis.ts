import type { ForkStart } from '../../app/application.ts'
import { keccak256 } from '../../base/crypto/crypto.ts'
import type { ChainConfig } from '../../chain/config/chainConfig.ts'
import { type Fork, since } from '../../chain/config/forks.ts'
import type { ChainLimits } from '../../chain/config/limits.ts'
import { systemContracts } from '../../chain/config/systemContracts.ts'
import { configFor, perihelionMember } from '../../chain/genesis/devGenesis.ts'
import { type AccountChange, emptyCodeHash, type StateChanges } from '../../chain/state/evmState.ts'
import type { ForkKey, ForkSource } from '../../chain/state/forkSource.ts'
import { type ForkBlockMessage, fromForkBlockMessage } from '../../fork/forkBlock.ts'

/** How a chain begins that is forked from a remote one. */
export interface ForkGenesisOptions {
  readonly block: ForkBlockMessage
  /** What is kept to find the remote again. */
  readonly description: string
  /** The chain id; undefined for that of the remote. */
  readonly chainId: bigint | undefined
  /** The fork of Ethereum whose rules apply to the local blocks. */
  readonly rules: Fork
  readonly limits: ChainLimits
  /** The accounts whose balance is set. */
  readonly accounts: readonly { readonly address: Uint8Array; readonly balance: bigint }[]
}

/** The contracts that the rules of blocks need. A remote chain with other rules may not have them. */
const neededContracts = (rules: Fork) => {
  const { beaconRoots, historyStorage, withdrawalRequests, consolidationRequests } = systemContracts
  return [beaconRoots, historyStorage, withdrawalRequests, consolidationRequests].filter((contract) =>
    since(rules, contract.since),
  )
}

export const forkConfig = ({ block, chainId, rules, limits }: ForkGenesisOptions): ChainConfig =>
  configFor(chainId ?? BigInt(block.chainId), rules, perihelionMember(undefined, limits))

/** Returns what must be known of the remote before the chain begins. */
export const forkStartKeys = ({
  accounts,
  rules,
}: Pick<ForkGenesisOptions, 'accounts' | 'rules'>): readonly ForkKey[] =>
  [...accounts, ...neededContracts(rules)].map(({ address }) => ({ kind: 'account', address }))

/** Returns the first block and what differs from the remote's state there: funded accounts, and contracts of the rules. */
export const readForkStart = (options: ForkGenesisOptions, fork: ForkSource): ForkStart => {
  const { header, hash } = fromForkBlockMessage(options.block)
  const { description, accounts, rules } = options
  const contracts = neededContracts(rules)
  fork.load(forkStartKeys(options))
  const code: StateChanges['code'][number][] = []
  const changes = accounts.map(({ address, balance }): AccountChange => {
    const { nonce = 0n, codeHash = emptyCodeHash } = fork.account(address) ?? {}
    return { address, account: { nonce, balance, codeHash }, storageCleared: false, storage: [] }
  })
  for (const contract of contracts) {
    const { address } = contract
    const known = fork.account(address)
    if (known !== undefined && Buffer.compare(known.codeHash, emptyCodeHash) !== 0) continue
    const codeHash = keccak256(contract.code)
    code.push([codeHash, contract.code])
    const account = { nonce: known?.nonce || 1n, balance: known?.balance ?? 0n, codeHash }
    changes.push({ address, account, storageCleared: false, storage: [] })
  }
  return { header, hash, changes: { accounts: changes, code }, description }
}
