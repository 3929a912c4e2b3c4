import { cliqueMethods } from './consensus/clique.ts'
import { cosmosMethods } from './consensus/cosmos.ts'
import { debugChainMethods } from './debug/chain.ts'
import { debugDatabaseMethods } from './debug/database.ts'
import { processMethods } from './debug/diagnostics.ts'
import { debugStateMethods } from './debug/state.ts'
import { traceChainMethods } from './debug/traceChain.ts'
import { traceMethods } from './debug/traces.ts'
import { devMethods } from './dev/methods.ts'
import { erigonMethods } from './erigon/methods.ts'
import { accountMethods } from './eth/accounts.ts'
import { blockMethods } from './eth/blocks.ts'
import { clientMethods } from './eth/client.ts'
import { executionMethods } from './eth/execution.ts'
import { feeMethods } from './eth/fees.ts'
import { filterMethods } from './eth/filters.ts'
import { miningMethods } from './eth/mining.ts'
import { rawTransactionMethods } from './eth/rawTransactions.ts'
import { resendMethods } from './eth/resend.ts'
import { sendingMethods } from './eth/sending.ts'
import { simulationMethods } from './eth/simulate.ts'
import { stateMethods } from './eth/state.ts'
import { subscriptionMethods } from './eth/subscriptions.ts'
import { transactionMethods } from './eth/transactions.ts'
import { uncleMethods } from './eth/uncles.ts'
import { walletMethodsOfEth } from './eth/wallet.ts'
import type { ApiMethod } from './method.ts'
import { adminMethods } from './node/admin.ts'
import { lightMethods } from './node/light.ts'
import { minerMethods } from './node/miner.ts'
import { netMethods } from './node/net.ts'
import { perihelionMethods } from './node/perihelion.ts'
import { rpcMethods } from './node/rpc.ts'
import { txpoolMethods } from './node/txpool.ts'
import { web3Methods } from './node/web3.ts'
import { otsMethods } from './ots/methods.ts'
import { personalMethods } from './personal/personal.ts'
import { walletMethods } from './personal/wallets.ts'
import { parityMethods } from './trace/traces.ts'
import { retiredMethods } from './unsupported/retired.ts'

/** Every method of the service, including those of disabled namespaces and of other profiles (see `devProfile.ts`). */
export const methods: readonly ApiMethod[] = Object.freeze([
  ...web3Methods,
  ...netMethods,
  ...clientMethods,
  ...blockMethods,
  ...uncleMethods,
  ...transactionMethods,
  ...rawTransactionMethods,
  ...sendingMethods,
  ...stateMethods,
  ...executionMethods,
  ...simulationMethods,
  ...filterMethods,
  ...subscriptionMethods,
  ...feeMethods,
  ...accountMethods,
  ...walletMethodsOfEth,
  ...resendMethods,
  ...miningMethods,
  ...txpoolMethods,
  ...debugChainMethods,
  ...debugStateMethods,
  ...debugDatabaseMethods,
  ...traceMethods,
  ...traceChainMethods,
  ...processMethods,
  ...parityMethods,
  ...otsMethods,
  ...erigonMethods,
  ...personalMethods,
  ...walletMethods,
  ...minerMethods,
  ...adminMethods,
  ...cliqueMethods,
  ...devMethods,
  ...cosmosMethods,
  ...perihelionMethods,
  ...lightMethods,
  ...rpcMethods,
  ...retiredMethods,
])
