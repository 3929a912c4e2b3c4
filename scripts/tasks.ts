/** What `npm run bench -- <name>` and `npm run long -- <name>` can run. The suites of the bench are in its own table. */
import { suites } from '../bench/suites.ts'

export interface Task {
  /** What it does, in one line. */
  readonly about: string
  /** A program that tsx runs, or what vitest is given: files, folders and options. */
  readonly command:
    | { readonly tsx: string; readonly args?: readonly string[] }
    | { readonly vitest: readonly string[] }
  /** Variables of the environment; what the caller has set wins. */
  readonly env?: Readonly<Record<string, string>>
  /** Whether it runs anything from `dist`. */
  readonly needsBuild: boolean
  /** Why `all` leaves it out. */
  readonly notInAll?: string
}

/** All suites of the bench as one run with one report, or what else it does: `all`, `--compare A B`, `--page file`. */
export const wholeBench = (name: string): Task => bench(name, 'the whole bench')

export type TaskTable = Readonly<Record<string, Task>>

const tsx = (file: string) => ({ tsx: file })
const vitest = (...args: readonly string[]) => ({ vitest: args })
const bench = (name: string, about: string): Task => ({
  about,
  command: { tsx: 'bench/main.ts', args: [name] },
  needsBuild: true,
})

const needsGeth = 'it needs geth, and writes recorded files again'

export const taskTables = {
  /** The suites of the bench. */
  bench: Object.fromEntries(
    Object.entries(suites).map(([name, { about }]) => [name, bench(name, about)]),
  ) as TaskTable,
  /** Suites at their full length (`npm test` runs a part of each); fuzzers; recorders of other programs' answers. */
  long: {
    serving: {
      about:
        'thousands of blocks, each looked for on every connection to every serving process as soon as one shows it',
      command: vitest('test/serving/readYourWrite.test.ts', '--testTimeout=3600000'),
      env: { SERVING_ROUNDS: '3000' },
      needsBuild: true,
    },
    sqlKills: {
      about: 'FOLLOWER_KILLS kills of a follower that writes to PostgreSQL, DATABASE_KILLS of the database',
      command: vitest('test/follow/sqlKills.test.ts'),
      env: { FOLLOWER_KILLS: '200', DATABASE_KILLS: '50' },
      needsBuild: true,
    },
    package: {
      about: 'what `npm pack` makes, unpacked elsewhere: it starts and answers',
      command: vitest('test/package'),
      needsBuild: true,
    },
    pictures: {
      about:
        'draws the README’s pictures in docs/pictures again, with Chromium; with [FOLDER] also more pages, into that',
      command: tsx('scripts/pictures.ts'),
      needsBuild: true,
      notInAll: 'it changes files of the tree',
    },
    image: {
      about: 'the steps of deploy/Dockerfile in chroots, and what its images start',
      command: tsx('test/deploy/image/main.ts'),
      needsBuild: false,
      notInAll: 'it needs root and debootstrap, and makes 2 GB of files for a while',
    },
    tools: {
      about: 'projects of Hardhat, Foundry and web3.py against a node, with the programs that are installed',
      command: vitest('test/tools', '--disable-console-intercept=true'),
      needsBuild: true,
    },
    openzeppelin: {
      about:
        'OpenZeppelin’s contracts (a folder of BENCH_PEERS, or OPENZEPPELIN_FOLDER) here, on anvil and on Hardhat’s node',
      command: vitest('test/tools/openzeppelin', '--disable-console-intercept=true'),
      needsBuild: true,
    },
    stackTraces: {
      about: 'Solidity stack traces here and on Hardhat’s own network (HARDHAT_FOLDER), case by case',
      command: vitest('test/solidity', '--disable-console-intercept=true'),
      needsBuild: true,
    },
    library: {
      about: 'twenty nodes started and closed one after another in one process, and what they leave behind',
      command: vitest('test/library/process.test.ts'),
      env: { LIBRARY_NODES: '20' },
      needsBuild: true,
    },
    devDifferential: {
      about:
        'DEV_SEQUENCES random sequences of dev methods here and on anvil (ANVIL or BENCH_PEERS), from seed SEED on',
      command: vitest('test/dev/differential'),
      env: { DEV_SEQUENCES: '10000', SEED: '1' },
      needsBuild: true,
    },
    stateTests: {
      about: 'every case of the official GeneralStateTests [part of a path]',
      command: tsx('test/conformance/stateTests/all.ts'),
      needsBuild: true,
    },
    stateTestsThroughStore: {
      about: 'the same cases over the real state store [part of a path]',
      command: tsx('test/conformance/stateTests/throughStore.ts'),
      needsBuild: true,
    },
    fuzz: {
      about: 'random transactions here and on @ethereumjs/vm [--cases N --seed S --workers W]',
      command: tsx('test/fuzz/main.ts'),
      needsBuild: true,
    },
    fuzzRequests: {
      about:
        'COUNT requests made from the OpenRPC document in process and WIRE_COUNT over the wire, from seed SEED on, SECONDS each',
      command: tsx('test/fuzz/requests/main.ts'),
      env: { COUNT: '2000000', WIRE_COUNT: '300000', SEED: '1', SECONDS: '0' },
      needsBuild: true,
    },
    fuzzInputs: {
      about:
        'COUNT mutated raw transactions, key files, app.toml files, native transactions, query requests and ABCI frames, from seed SEED on [name…]',
      command: tsx('test/fuzz/inputs/main.ts'),
      env: { COUNT: '100000', SEED: '1' },
      needsBuild: false,
    },
    directHttp: {
      about:
        'STREAMS random and broken streams of HTTP requests, read from the socket and by node:http, from seed SEED on',
      command: vitest('test/rpc/direct'),
      env: { STREAMS: '100000', SEED: '1' },
      needsBuild: false,
    },
    evmLimits: {
      about: 'transactions of EVM_LIMITS_GAS gas that fill every part of the machine',
      command: vitest('test/evm/limits.test.ts'),
      env: { EVM_LIMITS_GAS: '1000000000' },
      needsBuild: true,
    },
    plantedDefects: {
      about: 'mistakes planted in copies of the machine, each of which the fuzzer must find [part of a name]',
      command: tsx('test/fuzz/planted.ts'),
      needsBuild: true,
    },
    crash: {
      about: 'commits of the state store cut by SIGKILL',
      command: vitest('test/state/crash.test.ts'),
      env: { CRASH_KILLS: '500' },
      needsBuild: false,
    },
    diskFaults: {
      about: 'COUNT times a full disk, an error of the device and a sync that fails, from seed SEED on',
      command: vitest('test/state/disk/faults.test.ts', '--disable-console-intercept=true'),
      env: { COUNT: '200', SEED: '7' },
      needsBuild: false,
    },
    power: {
      about: 'COUNT power cuts, as files rebuilt from recorded writes, from seed SEED on',
      command: vitest('test/state/disk/power.test.ts', '--disable-console-intercept=true'),
      env: { COUNT: '50000', SEED: '5' },
      needsBuild: false,
    },
    damage: {
      about: 'COUNT damaged copies of a data file from seed SEED on, all of which `db check` must find',
      command: tsx('test/store/damage/main.ts'),
      env: { COUNT: '4096', SEED: '1' },
      needsBuild: true,
    },
    witness: {
      about: 'WITNESS_BLOCKS random blocks executed again on nothing but their witness, from seed SEED on',
      command: vitest('test/witness'),
      env: { WITNESS_BLOCKS: '200', SEED: '1' },
      needsBuild: true,
    },
    pruning: {
      about:
        'a chain of SPANS times RETAINED_BLOCKS blocks of which the newest are kept, and the size of its file',
      command: vitest('test/store/pruning.test.ts', '--disable-console-intercept=true'),
      env: { RETAINED_BLOCKS: '3000', SPANS: '5' },
      needsBuild: false,
    },
    histories: {
      about: 'random histories of the state against maps and @ethereumjs/mpt',
      command: vitest('test/state/histories.test.ts'),
      env: { HISTORY_BLOCKS: '1000' },
      needsBuild: false,
    },
    restart: {
      about: 'SIGKILL under load, a restart and a check of all that was acknowledged',
      command: vitest('test/load/restart.test.ts'),
      env: { RESTART_ROUNDS: '100' },
      needsBuild: true,
    },
    simulation: {
      about:
        'planted defects, then SEEDS networks of HEIGHTS heights with a model of the engine, from seed SEED on',
      command: tsx('test/simulation/main.ts'),
      env: { SEEDS: '1000', HEIGHTS: '100', SEED: '1' },
      needsBuild: true,
    },
    coherence: {
      about: 'mixed load, every block and proof checked over RPC alone [--minutes M --seed S]',
      command: tsx('test/load/coherence.ts'),
      needsBuild: true,
    },
    flood: {
      about:
        'batches, slow readers, filters, calls and traces for SECONDS each, with SEED: cheap reads, memory and blocks ' +
        'meanwhile; CONTROL=1 without the protection [name…]',
      command: tsx('test/load/flood/main.ts'),
      env: { SECONDS: '20', SEED: '1' },
      needsBuild: true,
    },
    soak: {
      about:
        'SECONDS at LOAD of what the node can do, with clients that come and go: memory, descriptors, permits and readers ' +
        'return to the start; CONTROL=1 with clients that leave something behind',
      command: tsx('test/load/soak/main.ts'),
      env: { SECONDS: '300', LOAD: '0.7', SEED: '1' },
      needsBuild: true,
    },
    steadyBlocks: {
      about:
        'MINUTES of transfers at LOAD of the peak, a block each second: latency, memory and the interval of blocks may not grow',
      command: tsx('test/load/steady/main.ts'),
      env: { MINUTES: '30', LOAD: '0.8' },
      needsBuild: true,
    },
    logs: {
      about: 'CASES random filters over random chains against a scan of every receipt',
      command: tsx('test/logs/main.ts'),
      env: { CASES: '10000' },
      needsBuild: true,
    },
    access: {
      about: 'variants of attempts to reach private methods',
      command: vitest('test/rpc/access'),
      env: { ACCESS_VARIANTS: '20000' },
      needsBuild: true,
    },
    proxies: {
      about:
        'hostile streams of one client and requests of another behind nginx and HAProxy, where they are installed',
      command: vitest('test/rpc/proxies'),
      env: { STREAMS: '960', REQUESTS: '1451', SEED: '1' },
      needsBuild: false,
    },
    autobahn: {
      about:
        'Autobahn’s fuzzing client against the WebSocket transport with a handler that echoes; WSTEST is its program, CASES the cases',
      command: tsx('test/rpc/protocol/autobahn.ts'),
      env: { CASES: '*' },
      needsBuild: false,
      notInAll: 'it needs wstest, which is of Python 2.7',
    },
    tracers: {
      about: 'tracers, all hostile scripts among them',
      command: vitest('test/tracing'),
      env: { HOSTILE_SCRIPTS: '100' },
      needsBuild: true,
    },
    traceChecker: {
      about:
        'TRANSACTIONS varied transactions from seed SEED on: trace_* beside geth’s tracers, the state, anvil (ANVIL or BENCH_PEERS) and what was recorded',
      command: vitest('test/tracing/varied', '--disable-console-intercept=true'),
      env: { TRANSACTIONS: '1000', SEED: '1' },
      needsBuild: true,
    },
    gateway: {
      about: 'a gateway before a chain of ours, which must answer as the node does',
      command: vitest('test/gateway/perihelion/compare.test.ts'),
      env: { GATEWAY_BLOCKS: '500' },
      needsBuild: true,
    },
    provider: {
      about:
        'the light provider in front of four validators: PROVIDER_QUESTIONS of a SEED answered as the node does',
      command: vitest('test/provider/provider.test.ts', '--disable-console-intercept=true'),
      env: { PROVIDER_QUESTIONS: '20000' },
      needsBuild: true,
    },
    lies: {
      about:
        'the light provider before an endpoint that lies: MUTATIONS changed answers of a SEED, of which none may be believed',
      command: vitest('test/provider/lies/lies.test.ts', '--disable-console-intercept=true'),
      env: { MUTATIONS: '1000000', SEED: '1' },
      needsBuild: true,
    },
    gatewayIndexers: {
      about:
        'a gateway before a chain of ours of GATEWAY_BLOCKS blocks, which must answer trace_*, ots_* and erigon_* about every one as the node does',
      command: vitest(
        'test/gateway/perihelion/compare.test.ts',
        '--testNamePattern=what indexers and explorers ask',
        '--disable-console-intercept=true',
      ),
      env: { GATEWAY_BLOCKS: '500', GATEWAY_INDEXERS: 'all' },
      needsBuild: true,
    },
    largeResults: {
      about: 'a gateway follows a block whose results are RESULTS_MB in 512 MB of memory',
      command: vitest('test/gateway/follow/largeResults.test.ts'),
      env: { RESULTS_MB: '500' },
      needsBuild: true,
    },
    gatewayMutations: {
      about: 'mutated replies of an upstream node [--cases N --seed S --requests R]',
      command: tsx('test/gateway/mutations/main.ts'),
      needsBuild: true,
    },
    gatewayDrills: {
      about:
        'three gateways under load while nodes, a gateway, their database (DRILL_SECONDS each) and the chain (HALT_SECONDS) fail: a table of what clients notice; DRILLS is a part of a name or several, CONTROL=trust believes nodes and CONTROL=alone has no database',
      command: vitest('test/gateway/drills/drills.long.test.ts', '--disable-console-intercept=true'),
      env: { DRILL_SECONDS: '5', HALT_SECONDS: '60' },
      needsBuild: true,
    },
    lightFuzz: {
      about:
        'COUNT lying headers, commits and sets of validators to the light client of the gateway, from seed SEED on',
      command: tsx('test/gateway/light/main.ts'),
      env: { COUNT: '1000000', SEED: '1' },
      needsBuild: true,
    },
    lightCost: {
      about:
        "CPU time of a header's proof with 4, 50 and 150 validators, and of following with and without proofs",
      command: tsx('test/gateway/light/cost.ts'),
      needsBuild: true,
    },
    network: {
      about: 'everything about real networks of CometBFT validators',
      command: vitest('--no-file-parallelism', 'test/network'),
      env: { NETWORK_TESTS: 'all' },
      needsBuild: true,
    },
    relay: {
      about: 'transactions that no block can hold, sent to one of four validators: blocks, reads and memory',
      command: vitest('test/network/relay.long.test.ts', '--disable-console-intercept=true'),
      needsBuild: true,
    },
    liars: {
      about: 'state sync from four peers of which three forge snapshots and chunks',
      command: vitest('test/network/liars.long.test.ts', '--disable-console-intercept=true'),
      needsBuild: true,
    },
    attached: {
      about: 'a CometBFT that the operator runs and whose consensus fails: who tells it, and when it is over',
      command: vitest('test/network/attached.long.test.ts'),
      needsBuild: true,
    },
    failPoints: {
      about: 'every pair of points at which CometBFT and this program can die',
      command: vitest('test/network/failPoints.test.ts'),
      env: { FAIL_POINTS: 'all' },
      needsBuild: true,
    },
    handshake: {
      about: 'the replay of 500 blocks after the application lost them',
      command: vitest('test/network/handshake.test.ts'),
      env: { HANDSHAKE_BLOCKS: '500' },
      needsBuild: true,
    },
    poolNetworks: {
      about:
        'POOL_HISTORIES random networks of pools, from SEED: sends, kills, full pools, gossip in any order; all that is acknowledged is executed',
      command: vitest('test/pool', '--disable-console-intercept=true'),
      env: { POOL_HISTORIES: '10000', SEED: '1' },
      needsBuild: false,
    },
    networkKills: {
      about:
        'KILL_ROUNDS rounds of SIGKILLs of four validators with small pools, six senders to all of them, from SEED: acknowledged, executed, lost',
      command: vitest('test/network/kills.long.test.ts', '--disable-console-intercept=true'),
      env: { KILL_ROUNDS: '200', SEED: '1' },
      needsBuild: true,
    },
    networkLoad: {
      about: 'four validators under mixed load, held to the same answers [--minutes M --seed S]',
      command: tsx('test/network/load.ts'),
      needsBuild: true,
    },
    blockTests: {
      about: 'official blockchain tests through the importer <folder>',
      command: tsx('test/conformance/blockTests.ts'),
      needsBuild: true,
      notInAll: 'it needs the folder of the tests',
    },
    evmd: {
      about: 'a gateway against the JSON-RPC of a running evmd chain --node URL --json-rpc URL',
      command: tsx('test/gateway/evmd/main.ts'),
      needsBuild: true,
      notInAll: 'it needs a running chain',
    },
    evmdOutage: {
      about:
        'sends through a gateway while the node of a running evmd chain is killed and started --node URL',
      command: tsx('test/gateway/evmd/outage.ts'),
      needsBuild: true,
      notInAll: 'it needs a running chain, and somebody who kills its node',
    },
    fuzzForks: {
      about: 'random transactions at every fork here and on geth’s evm [--cases N --seed S --forks A,B]',
      command: tsx('test/fuzz/gethForks.ts'),
      needsBuild: true,
      notInAll: 'it needs geth’s evm',
    },
    gethAnswers: {
      about:
        'thousands of requests to geth (GETH) and here about the same chain: what differs has a name and a reason',
      command: vitest('test/geth/answers', '--disable-console-intercept=true'),
      env: { GETH_ANSWERS: 'all' },
      needsBuild: true,
    },
    recordAnswers: {
      about: 'writes what geth answers to the requests of `gethAnswers`',
      command: tsx('test/geth/answers/record.ts'),
      needsBuild: false,
      notInAll: needsGeth,
    },
    recordCalls: {
      about: 'writes what geth answers to random calls',
      command: tsx('test/geth/calls/record.ts'),
      needsBuild: true,
      notInAll: needsGeth,
    },
    recordAnvil: {
      about: 'writes what anvil says of the same chain in the format of Parity',
      command: tsx('test/tracing/parity/record.ts'),
      needsBuild: true,
      notInAll: 'it needs anvil (ANVIL), and writes recorded files again',
    },
    recordVaried: {
      about:
        'writes what anvil (ANVIL) and a program that drives revm-inspectors (INSPECTORS) say of TRANSACTIONS varied transactions',
      command: tsx('test/tracing/varied/record.ts'),
      env: { TRANSACTIONS: '1000', SEED: '1' },
      needsBuild: true,
      notInAll: 'it needs anvil and a program around revm-inspectors, and writes recorded files again',
    },
    recordTraces: {
      about: 'writes what geth’s tracers say of a chain of everything; `new` makes a new chain',
      command: tsx('test/geth/traces/record.ts'),
      needsBuild: true,
      notInAll: needsGeth,
    },
    recordTracers: {
      about: 'writes what geth says of tracers as scripts',
      command: tsx('test/tracing/javascript/record.ts'),
      needsBuild: false,
      notInAll: needsGeth,
    },
    recordFuzz: {
      about: 'writes what geth’s evm confirms of random transactions [cases]',
      command: tsx('test/fuzz/geth.ts'),
      needsBuild: true,
      notInAll: needsGeth,
    },
  },
} satisfies Readonly<Record<string, TaskTable>>
