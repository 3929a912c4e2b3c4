import { toHex, toQuantity } from '../../base/encoding/hex.ts'
import { version } from '../../base/version.ts'
import { forkOfHeader } from '../../chain/config/chainConfig.ts'
import { callFailed, invalidParams } from '../../rpc/errors.ts'
import { param } from '../../rpc/method.ts'
import { legacyGasPrice, suggestFees } from '../accounts/fees.ts'
import { Done, nothing } from '../answers/done.ts'
import { AnyJson, describedObject, Flag, Text } from '../wire/basic.ts'
import { PlainNumber } from '../wire/dev.ts'
import { devMethod } from './devMethod.ts'

/** Returns the name that anvil has for a hard fork: `Osaka` for osaka. */
const nameOfFork = (fork: string): string => fork.charAt(0).toUpperCase() + fork.slice(1)

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** The methods that tell how the node runs, and what it logs. */
export const devInfoMethods = [
  ...devMethod({
    names: ['anvil_nodeInfo'],
    summary: 'Tells how the node runs, as anvil does.',
    params: [],
    result: { name: 'info', type: describedObject('Head, hard fork, and what the next block starts from') },
    examples: [],
    handler: async (_, dev, { chain }) => {
      const head = chain.head()
      const header = chain.blocks.header(head.number)
      if (header === undefined) throw callFailed('header not found')
      const baseFee = (await chain.fees.nextBaseFee()) ?? 0n
      return {
        currentBlockNumber: toQuantity(head.number),
        currentBlockTimestamp: head.time,
        currentBlockHash: toHex(head.hash),
        hardFork: nameOfFork(forkOfHeader(chain.config, header)),
        transactionOrder: chain.pool.order ?? 'fees',
        environment: {
          baseFee: toQuantity(baseFee),
          chainId: Number(chain.config.chainId),
          gasLimit: toQuantity(dev.nextBlock().gasLimit ?? header.gasLimit),
          gasPrice: toQuantity(legacyGasPrice(await suggestFees(chain))),
        },
        forkConfig: {
          forkUrl: chain.fork?.url ?? null,
          forkBlockNumber: chain.fork?.number ?? null,
          forkRetryBackoff: chain.fork?.retryBackoffMs ?? null,
        },
      }
    },
  }),
  ...devMethod({
    names: ['anvil_metadata', 'hardhat_metadata'],
    summary: 'Tells which client this is, which chain it has and which snapshots there are.',
    params: [],
    result: { name: 'metadata', type: describedObject('Client, chain, head and snapshots') },
    examples: [],
    handler: (_, dev, { chain, clientVersion, instanceId }) => {
      const { number, hash } = chain.head()
      const snapshots = dev
        .snapshots()
        .map((snapshot) => [toQuantity(snapshot.id), [snapshot.number, toHex(snapshot.hash)]] as const)
      return {
        clientVersion,
        clientSemver: version,
        clientCommitSha: null,
        chainId: Number(chain.config.chainId),
        latestBlockHash: toHex(hash),
        latestBlockNumber: number,
        instanceId,
        forkedNetwork: chain.fork
          ? {
              chainId: Number(chain.fork.chainId),
              forkBlockNumber: chain.fork.number,
              forkBlockHash: toHex(chain.fork.hash),
            }
          : null,
        snapshots: Object.fromEntries(snapshots),
      }
    },
  }),
  ...devMethod({
    names: ['anvil_getGenesisTime'],
    summary: 'Gives the time of the first block, in seconds since 1970.',
    params: [],
    result: { name: 'time', type: PlainNumber },
    examples: [],
    handler: (_args, _dev, { chain }) =>
      Number(chain.blocks.header(chain.fork?.number ?? 0)?.timestamp ?? 0n),
  }),
  ...devMethod({
    names: ['anvil_getLastBlockWallTime'],
    summary: 'Gives the time of the clock at which the head was made, in milliseconds since 1970.',
    params: [],
    result: { name: 'time', type: PlainNumber },
    examples: [],
    handler: (_, dev) => dev.headMadeAt(),
  }),
  ...devMethod({
    names: ['anvil_setLoggingEnabled', 'hardhat_setLoggingEnabled'],
    summary: 'Turns the printing of blocks and transactions on or off.',
    params: [param('enabled', Flag, 'Whether they are printed.')],
    result: nothing,
    examples: [{ name: 'off', params: [false], result: null }],
    handler: ([isOn], dev) => {
      dev.isLoggingEnabled = isOn
    },
  }),
  ...devMethod({
    names: ['hardhat_addCompilationResult'],
    summary:
      'Tells the node of compiled contracts, so that what it prints can name them and decode their errors, failures have a stack in the source, and the debugger of the explorer shows it.',
    params: [
      param('solcVersion', Text, 'The version of the compiler.'),
      param('compilerInput', AnyJson, "What it got: solc's standard JSON."),
      param('compilerOutput', AnyJson, 'What it gave.'),
    ],
    result: { name: 'taken', type: Done },
    examples: [],
    handler: ([_version, input, output], _dev, { contracts }) => {
      if (!isObject(input)) throw invalidParams('parameter 2 (compilerInput): expected an object')
      if (!isObject(output)) throw invalidParams('parameter 3 (compilerOutput): expected an object')
      contracts.add(output, input)
    },
  }),
  ...devMethod({
    names: ['hardhat_getStackTraceFailuresCount'],
    summary: 'Always the number 0: stack traces that cannot be made are not counted.',
    params: [],
    result: { name: 'failures', type: PlainNumber },
    examples: [{ name: 'none', params: [], result: 0 }],
    handler: () => 0,
  }),
]
