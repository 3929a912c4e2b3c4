import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createGenesis } from '../../../test/geth/genesis.ts'
import { accounts } from '../chain/accounts.ts'
import { chainId, gasLimit, mnemonic, type NodeProgram } from './program.ts'

/** A million, which each of them gives its accounts. */
const coins = '0xd3c21bcecceda1000000'

/** A pool that turns nothing away: with a block time, or with gaps in the nonces, it would be full. */
const poolSlots = ['slots', 'queue'].flatMap((kind) => [`account${kind}`, `global${kind}`])

const perihelion: NodeProgram = {
  name: 'perihelion',
  command: ({ file, args }, folder, port, { blockTimeMs = 0 }) => ({
    file,
    args: [
      ...args,
      'start',
      ...['--home', folder, '--chain-id', String(chainId), '--log.level=error'],
      // A home with a chain has its accounts.
      ...(existsSync(join(folder, 'data')) ? [] : ['--balance=1000000']),
      ...[`--json-rpc.address=127.0.0.1:${port}`, '--json-rpc.ws-address='],
      ...['--json-rpc.logs-cap=0', '--json-rpc.logs-bytes-cap=1000000000', `--block-time=${blockTimeMs}ms`],
      ...['account-slots', 'global-slots', 'account-queue', 'global-queue'].map(
        (name) => `--txpool.${name}=1000000`,
      ),
    ],
  }),
  oneBlock: 'gap',
}

const archiveFlags = (isArchive = false): string[] =>
  isArchive ? ['--gcmode=archive', '--state.scheme=hash'] : []

/** By default `geth --dev` has the rules of a future fork; the genesis file sets Osaka, as the others have. */
const geth: NodeProgram = {
  name: 'geth',
  prepare: ({ file }, folder, { isArchive }) => {
    const genesis = join(folder, 'genesis.json')
    const alloc = Object.fromEntries(accounts.map(({ address }) => [address, { balance: coins }]))
    writeFileSync(genesis, JSON.stringify(createGenesis(chainId, alloc, 0)))
    const scheme = isArchive === true ? ['--state.scheme=hash'] : []
    execFileSync(file, ['init', '--datadir', folder, ...scheme, genesis], { stdio: 'ignore' })
  },
  command: ({ file }, folder, port, { blockTimeMs = 0, isArchive }) => ({
    file,
    args: [
      ...archiveFlags(isArchive),
      ...['--datadir', folder, '--dev', `--dev.period=${Math.ceil(blockTimeMs / 1000)}`],
      ...[`--dev.gaslimit=${gasLimit}`, `--miner.gaslimit=${gasLimit}`],
      ...['--http', `--http.port=${port}`, '--http.api=eth,net,web3,debug'],
      ...['--ws', `--ws.port=${port}`, '--ws.origins=*', '--ws.api=eth,net,web3'],
      ...['--ipcdisable', '--verbosity=1', '--port=0', '--authrpc.port=0', '--rpc.batch-request-limit=1000'],
      ...['--rpc.batch-response-max-size=250000000', '--rpc.rangelimit=0'],
      ...poolSlots.map((name) => `--txpool.${name}=1000000`),
    ],
  }),
  oneBlock: 'gap',
}

const anvil: NodeProgram = {
  name: 'anvil',
  command: ({ file }, _folder, port, { blockTimeMs }) => ({
    file,
    args: [
      ...['--port', String(port), '--chain-id', String(chainId), '--gas-limit', String(gasLimit)],
      ...['--balance', '1000000', '--silent', '--order', 'fifo'],
      ...(blockTimeMs === undefined ? [] : ['--block-time', String(Math.ceil(blockTimeMs / 1000))]),
    ],
  }),
  oneBlock: 'automine',
}

const hardhat: NodeProgram = {
  name: 'hardhat',
  // It wants to be found among the packages around its working directory.
  folderIn: ({ folder = '.' }) => {
    mkdirSync(join(folder, 'run'), { recursive: true })
    return mkdtempSync(join(folder, 'run', 'hardhat-'))
  },
  prepare: (_located, folder) => {
    const accountsOf = { mnemonic, accountsBalance: `1${'0'.repeat(24)}` }
    const network = { chainId, blockGasLimit: gasLimit, accounts: accountsOf }
    const config = { networks: { hardhat: { ...network, mining: { mempool: { order: 'fifo' } } } } }
    writeFileSync(join(folder, 'package.json'), '{"private":true}\n')
    writeFileSync(
      join(folder, 'hardhat.config.js'),
      `module.exports = ${JSON.stringify({ ...config, solidity: '0.8.28' })}\n`,
    )
  },
  command: ({ file, args }, folder, port) => ({
    file,
    args: [...args, 'node', '--hostname', '127.0.0.1', '--port', String(port)],
    cwd: folder,
  }),
  afterStart: { method: 'hardhat_setLoggingEnabled', params: [false] },
  oneBlock: 'automine',
}

const ganache: NodeProgram = {
  name: 'ganache',
  command: ({ file, args }, _folder, port, { blockTimeMs }) => ({
    file,
    args: [
      ...args,
      ...[
        '--server.host=127.0.0.1',
        `--server.port=${port}`,
        `--chain.chainId=${chainId}`,
        '--logging.quiet',
      ],
      ...[`--miner.blockGasLimit=${gasLimit}`, `--wallet.mnemonic=${mnemonic}`],
      ...['--wallet.defaultBalance=1000000', `--miner.callGasLimit=${2 ** 40}`],
      ...(blockTimeMs === undefined ? [] : [`--miner.blockTime=${Math.ceil(blockTimeMs / 1000)}`]),
    ],
  }),
  oneBlock: 'miner',
}

export const nodePrograms: Readonly<Record<string, NodeProgram>> = {
  perihelion,
  anvil,
  geth,
  hardhat,
  ganache,
}
