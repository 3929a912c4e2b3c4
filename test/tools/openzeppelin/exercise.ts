import {
  type Address,
  concatHex,
  decodeErrorResult,
  decodeEventLog,
  decodeFunctionResult,
  encodeDeployData,
  encodeFunctionData,
  getAddress,
  type Hex,
  toHex,
} from 'viem'
import type { Artifact } from './compile.ts'

export interface Reply {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

export type Send = (method: string, params: readonly unknown[]) => Promise<Reply>

export interface Contract extends Artifact {
  readonly address: Address
}

export interface SendOptions {
  readonly from?: Address
  readonly value?: bigint
}

/** An event or an error: its name and its arguments. */
export type Named = readonly [name: string, ...args: unknown[]]

/** One thing that is known about a contract, and what a node says of it. */
export interface Assertion {
  readonly what: string
  readonly expected: unknown
  readonly actual: unknown
  /** What else has to be the same on every node: the gas of a transaction. */
  readonly details: unknown
}

interface Receipt {
  readonly status: string
  readonly gasUsed: string
  readonly contractAddress: Address | null
  readonly logs: readonly { readonly topics: readonly Hex[]; readonly data: Hex }[]
}

/** Enough for every step, and below what a transaction may have since Osaka. */
const gas = toHex(10_000_000)

/** Runs steps against a node and notes what comes of them. */
export class Exercise {
  readonly assertions: Assertion[] = []
  readonly #send: Send
  readonly #artifacts: ReadonlyMap<string, Artifact>
  readonly accounts: readonly Address[]
  readonly chainId: number

  constructor(
    { accounts, chainId }: { readonly accounts: readonly Address[]; readonly chainId: number },
    artifacts: ReadonlyMap<string, Artifact>,
    send: Send,
  ) {
    this.accounts = accounts
    this.chainId = chainId
    this.#artifacts = artifacts
    this.#send = send
  }

  static async begin(artifacts: ReadonlyMap<string, Artifact>, send: Send): Promise<Exercise> {
    const [{ result: listed }, { result: chainId }] = [
      await send('eth_accounts', []),
      await send('eth_chainId', []),
    ]
    const accounts = (listed as readonly string[]).map((one) => getAddress(one))
    return new Exercise({ accounts, chainId: Number(chainId) }, artifacts, send)
  }

  account(index: number): Address {
    return this.accounts[index] as Address // nodes for development have ten
  }

  async require<T>(method: string, ...params: readonly unknown[]): Promise<T> {
    const { result, error } = await this.#send(method, params)
    if (error !== undefined) throw new Error(`${method}: ${error.message}`)
    return result as T // as the caller expects
  }

  artifact(name: string): Artifact {
    const found = this.#artifacts.get(name)
    if (found === undefined) throw new Error(`there is no contract ${name}`)
    return found
  }

  /** Returns a contract as another one sees it: a proxy as what is behind it. */
  at(name: string, address: Address): Contract {
    return { ...this.artifact(name), address }
  }

  async deploy(name: string, args: readonly unknown[] = [], options: SendOptions = {}): Promise<Contract> {
    const { abi, bytecode } = this.artifact(name)
    const data = encodeDeployData({ abi, bytecode, args })
    const receipt = await this.#transact({ data }, options)
    if (receipt.status !== '0x1' || receipt.contractAddress === null)
      throw new Error(`${name} was not created`)
    const address = getAddress(receipt.contractAddress)
    this.#note(`the creation of ${name}`, true, true, { address, gasUsed: receipt.gasUsed })
    return { abi, bytecode, address }
  }

  async reads(contract: Contract, name: string, args: readonly unknown[], expected: unknown): Promise<void> {
    const { abi, address } = contract
    const data = encodeFunctionData({ abi, functionName: name, args })
    const output = await this.require<Hex>('eth_call', { from: this.account(0), to: address, data }, 'latest')
    this.#note(
      this.#describe(name, args),
      expected,
      decodeFunctionResult({ abi, functionName: name, data: output }),
    )
  }

  /** Sends a transaction that has to succeed with these events. */
  async sends(
    contract: Contract,
    name: string,
    args: readonly unknown[],
    events: readonly Named[],
    options: SendOptions = {},
  ): Promise<void> {
    const { abi, address } = contract
    const data = encodeFunctionData({ abi, functionName: name, args })
    const { status, gasUsed, logs } = await this.#transact({ to: address, data }, options)
    const actual = status === '0x1' ? logs.map((log) => this.#event(log)) : 'it failed'
    this.#note(this.#describe(name, args), events, actual, { gasUsed })
  }

  /** Sends coins to a contract. */
  async pays(contract: Contract, value: bigint, events: readonly Named[]): Promise<void> {
    const { status, gasUsed, logs } = await this.#transact({ to: contract.address }, { value })
    const actual = status === '0x1' ? logs.map((log) => this.#event(log)) : 'it failed'
    this.#note(`${value} wei`, events, actual, { gasUsed })
  }

  /** Makes a call that has to fail with this error, and estimates it, which has to fail with the same. */
  async fails(
    contract: Contract,
    name: string,
    args: readonly unknown[],
    error: Named,
    { from = this.account(0), value = 0n }: SendOptions = {},
  ): Promise<void> {
    const { abi, address } = contract
    const data = encodeFunctionData({ abi, functionName: name, args })
    const request = { from, to: address, data, value: toHex(value) }
    const actual = revertData(await this.#send('eth_call', [request, 'latest']))
    const estimated = revertData(await this.#send('eth_estimateGas', [request]))
    this.#note(this.#describe(name, args), error, this.#error(actual), { actual, estimated })
  }

  /** Notes something that no function of a contract says. */
  async holds<T>(what: string, expected: T, actual: Promise<T>): Promise<void> {
    this.#note(what, expected, await actual)
  }

  /** Makes the next block at a time. */
  async atTime(seconds: number): Promise<void> {
    await this.require('evm_setNextBlockTimestamp', seconds)
  }

  async mine(blocks: number): Promise<void> {
    for (let made = 0; made < blocks; made++) await this.require('evm_mine')
  }

  async #transact(
    request: { readonly to?: Address; readonly data?: Hex },
    { from = this.account(0), value = 0n }: SendOptions,
  ): Promise<Receipt> {
    const hash = await this.require<Hex>('eth_sendTransaction', {
      ...request,
      from,
      gas,
      value: toHex(value),
    })
    for (;;) {
      const receipt = await this.require<Receipt | null>('eth_getTransactionReceipt', hash)
      if (receipt !== null) return receipt
    }
  }

  #event({ topics, data }: Receipt['logs'][number]): Named {
    for (const { abi } of this.#artifacts.values()) {
      try {
        const { eventName, args } = decodeEventLog({ abi, topics: topics as [Hex, ...Hex[]], data })
        return [String(eventName), ...Object.values(args ?? {})]
      } catch {
        // It is an event of another contract.
      }
    }
    return ['an unknown event', concatHex([...topics, data])]
  }

  #error(data: Hex | undefined): Named {
    if (data === undefined) return ['no revert']
    for (const { abi } of this.#artifacts.values()) {
      try {
        const { errorName, args } = decodeErrorResult({ abi, data })
        return [errorName, ...((args ?? []) as readonly unknown[])]
      } catch {
        // It is an error of another contract.
      }
    }
    return ['an unknown error', data]
  }

  #describe(name: string, args: readonly unknown[]): string {
    return `${name}(${args.map((arg) => String(arg).slice(0, 20)).join(', ')})`
  }

  #note(what: string, expected: unknown, actual: unknown, details?: unknown): void {
    this.assertions.push({ what: `${this.assertions.length}: ${what}`, expected, actual, details })
  }
}

/** Returns the data of a revert, which programs have in different places of their errors. */
const revertData = ({ error }: Reply): Hex | undefined => {
  const data = error?.data
  if (typeof data === 'string') return data as Hex
  return (data as { readonly data?: Hex } | undefined)?.data
}
