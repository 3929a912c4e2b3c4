import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { toHex } from '../../../src/base/encoding/hex.ts'
import { loadSecret } from '../../../src/rpc/access/secret.ts'
import type { ServedChain } from '../../../src/service/chain/servedChain.ts'
import type { Service } from '../../../src/service/start/startService.ts'
import { sendIpc } from '../../support/clients.ts'
import { startTestService } from '../../support/service.ts'
import { temporaryHome } from '../../support/testServer.ts'

/** A node under attack: everything is switched on, and everything that a private method could change is watched. */
export class GuardedServer {
  readonly home: string
  readonly secret: Uint8Array
  readonly service: Service
  readonly #running: ServedChain
  /** Accounts of the dev profile, in order. */
  readonly accounts: readonly string[]

  private constructor(home: string, secret: Uint8Array, service: Service) {
    this.home = home
    this.secret = secret
    this.service = service
    this.#running = service.served
    this.accounts = service.served.keys.keystore.list().map(toHex)
  }

  static async open(flags: readonly string[] = []): Promise<GuardedServer> {
    const home = temporaryHome()
    const service = await startTestService(home, { flags: ['--lightkdf', ...flags] })
    const fortress = new GuardedServer(home, loadSecret(home), service)
    await fortress.#prepare()
    return fortress
  }

  /** As the operator, over IPC. */
  async ask(method: string, ...params: readonly unknown[]): Promise<unknown> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const answer = JSON.parse(await sendIpc(join(this.home, 'perihelion.ipc'), body)) as {
      result?: unknown
      error?: { message: string }
    }
    if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`)
    return answer.result
  }

  /** So that there is something to lock, to unlock, to open, to unpair and to go back from. */
  async #prepare(): Promise<void> {
    await this.ask('eth_sendTransaction', { from: this.accounts[0], to: this.accounts[1], value: '0x1' })
    await this.ask('personal_lockAccount', this.accounts[9])
    for (const name of ['open', 'paired']) {
      await this.ask('personal_initializeWallet', `keystore://${name}`)
      await this.ask('personal_openWallet', `keystore://${name}`, 'pairing')
    }
  }

  /** Everything that a private method could have changed. */
  look(): string {
    const { keystore, wallets } = this.#running.keys
    const files = ['keystore', 'wallets'].map((folder) => readdirOrNone(join(this.home, folder)))
    const unlocked = this.accounts.map((account) => keystore.isUnlocked(Buffer.from(account.slice(2), 'hex')))
    const shown = wallets.states().map(({ url, status, accounts }) => [url, status, accounts.length])
    const settings = readFileSync(join(this.home, 'config', 'app.toml'), 'utf8')
    const { number } = this.#running.chain.head()
    return JSON.stringify({ files, unlocked, shown, settings, number, urls: this.service.urls() })
  }

  async close(): Promise<void> {
    await this.service.close()
    rmSync(this.home, { recursive: true, force: true })
  }
}

const readdirOrNone = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** A private call that leaves a trace when it runs. */
export interface Target {
  readonly method: string
  params(accounts: readonly string[], serial: number): readonly unknown[]
  /** Whether programs on this machine may call it, so that nothing but the door keeps a web page out. */
  readonly needsNoToken?: true
}

const target = (method: string, params: Target['params']): Target => ({ method, params })

/** `serial` makes each call a different one. */
export const targets: readonly Target[] = [
  target('personal_newAccount', () => ['attack']),
  target('personal_importRawKey', (_, serial) => [(serial + 1).toString(16).padStart(64, '0'), 'attack']),
  target('personal_lockAccount', (accounts, serial) => [accounts[serial % 8]]),
  target('personal_unlockAccount', (accounts) => [accounts[9], '', 0]),
  target('personal_initializeWallet', (_, serial) => [`keystore://attack-${serial}`]),
  target('personal_unpair', () => ['keystore://paired', 'pairing']),
  target('personal_deriveAccount', (_, serial) => ['keystore://open', `m/${serial}`, true]),
  target('personal_sendTransaction', (accounts) => [
    { from: accounts[8], to: accounts[9], value: '0x1' },
    '',
  ]),
  target('miner_setGasPrice', (_, serial) => [`0x${(serial + 1).toString(16)}`]),
  target('debug_setHead', () => ['0x0']),
  {
    ...target('eth_sendTransaction', (accounts, serial) => [
      { from: accounts[0], to: accounts[1], value: `0x${(serial + 1).toString(16)}` },
    ]),
    needsNoToken: true,
  },
  target('admin_stopWS', () => []),
]
