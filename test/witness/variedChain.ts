import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Abi,
  encodeAbiParameters,
  encodeFunctionData,
  getCreate2Address,
  type Hex,
  numberToHex,
} from 'viem'
import { compileSolidity } from '../../scripts/solidity.ts'
import { Application } from '../../src/app/application.ts'
import { soloEngineHash, toBlockInputs } from '../../src/app/blockInputs.ts'
import { fromHex, toHex } from '../../src/base/encoding/hex.ts'
import { LmdbEnvironment } from '../../src/base/lmdb/lmdb.ts'
import { type Fork, since } from '../../src/chain/config/forks.ts'
import { createDevGenesis } from '../../src/chain/genesis/devGenesis.ts'
import { defaultTraceOptions } from '../../src/chain/port/traces.ts'
import { contractAddress } from '../../src/chain/transaction/contractAddress.ts'
import { signAuthorization } from '../../src/chain/transaction/signature.ts'
import type { RecoveredTransaction } from '../../src/chain/transaction/transaction.ts'
import { createEvm } from '../../src/evm/evm.ts'
import { loadEvmModules } from '../../src/evm/host/evmModules.ts'
import { precompilesAt } from '../../src/evm/precompiles/precompileTable.ts'
import { SpoolRoom } from '../../src/execute/trace/spoolRoom.ts'
import { TraceRunner } from '../../src/execute/trace/traceRunner.ts'
import { StateStore } from '../../src/state/stateStore.ts'
import { BlockStore } from '../../src/store/blockStore.ts'
import { assemble } from '../support/evm/assemble.ts'
import { createRandom, type Random } from '../support/random.ts'
import { addressOf, createCandidate, signCandidate, testChainId } from '../support/signedCandidates.ts'
import type { ExecutionWitness } from './verifier.ts'

const source = `
// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

contract Varied {
  mapping(uint256 => uint256) public slots;
  receive() external payable {}

  function fill(uint256 from, uint256 count) public payable { for (uint256 i; i < count; i++) slots[from + i] = block.number + i; }
  function clear(uint256 from, uint256 count) public payable { for (uint256 i; i < count; i++) delete slots[from + i]; }
  function swap(uint256 from, uint256 to) public payable { slots[to] = 1 + slots[from]; delete slots[from]; }
  function fail(uint256 from) public payable { slots[from] = 1; revert("on purpose"); }
  function make(bytes memory init, uint256 salt) public payable returns (address made) {
    assembly { made := create2(callvalue(), add(init, 32), mload(init), salt) }
  }
  function forward(address to, bytes memory data) public payable { (bool ok, ) = to.call{value: msg.value}(data); slots[999] = ok ? 1 : 2; }
  function flash(bytes memory init, uint256 salt, address heir) public payable { forward(make(init, salt), abi.encode(heir)); }
  function hash(uint256 back) public payable { slots[998] = uint256(blockhash(block.number - back)); }
  function look(address who) public payable {
    bytes memory code = who.code;
    slots[997] = who.balance + uint256(who.codehash >> 8) + code.length;
  }
}
`

/** A contract that is destroyed in favour of who is named in its input; it has a slot. */
export const childCode = assemble('0 CALLDATALOAD SELFDESTRUCT')
const childRuntime = childCode.slice(2)
const childInit = assemble(
  `7 1 SSTORE #7f${childRuntime.padEnd(64, '0')} 0 MSTORE ${childRuntime.length / 2} 0 RETURN`,
) as Hex

const accounts = 8
const bystanders = 200
/** The slots that are set and cleared again. */
const slots = 50n
const gasLimit = 2_000_000n

export interface VariedChain {
  readonly app: Application
  readonly state: StateStore
  readonly blocks: BlockStore
  /** Makes another block of random transactions; returns the kinds of what is in it. */
  next(): Promise<readonly string[]>
  witness(number: number): Promise<ExecutionWitness>
  close(): Promise<void>
}

/** The transactions of a chain: those of each sender one after the other. */
class Traffic {
  readonly kinds: string[] = []
  readonly #random: Random
  readonly #fork: Fork
  readonly #nonces: bigint[] = new Array(accounts).fill(0n)
  readonly #abi: Abi
  readonly #bytecode: Uint8Array
  readonly #contract: Uint8Array
  readonly #children: Uint8Array[] = []
  #salt = 0n
  #height = 0n

  constructor(random: Random, fork: Fork) {
    const { abi, evm } = compileSolidity(source, 'Varied', { evmVersion: 'paris' })
    this.#random = random
    this.#fork = fork
    this.#abi = abi as Abi
    this.#bytecode = fromHex(`0x${evm.bytecode.object}`)
    this.#contract = contractAddress(addressOf(0), 0n)
  }

  /** Returns the transactions of the first block: the contract, and slots of it to be cleared. */
  begin(): RecoveredTransaction[] {
    return [this.#send(0, { to: undefined, data: this.#bytecode, value: 0n }), this.#call('fill', 0n, slots)]
  }

  next(height: bigint): RecoveredTransaction[] {
    this.#height = height
    this.kinds.length = 0
    const count = this.#random.chance(0.15) ? 0 : 1 + this.#random.below(6)
    if (count === 0) this.kinds.push('empty')
    return Array.from({ length: count }, () => this.#transaction())
  }

  #transaction(): RecoveredTransaction {
    const random = this.#random
    const slot = (): bigint => BigInt(random.below(Number(slots)))
    const salt = this.#salt++
    const someone = this.#someone()
    const makers: Readonly<Record<string, () => RecoveredTransaction>> = {
      transfer: () => this.#send(random.below(accounts), { to: someone, value: 1n, data: noBytes }),
      fill: () => this.#call('fill', slot(), 1n + BigInt(random.below(4))),
      clear: () => this.#call('clear', slot(), 8n + BigInt(random.below(16))),
      swap: () => this.#call('swap', slot(), slot()),
      revert: () => this.#call('fail', slot()),
      create: () => {
        this.addChild(
          fromHex(
            getCreate2Address({
              from: toHex(this.#contract) as Hex,
              salt: numberToHex(salt, { size: 32 }),
              bytecode: childInit,
            }),
          ),
        )
        return this.#call('make', childInit, salt)
      },
      destroy: () => {
        const [child = someone] = this.#children.splice(random.below(this.#children.length || 1), 1)
        return this.#call('forward', toHex(child), encode(someone))
      },
      flash: () => this.#call('flash', childInit, salt, toHex(someone)),
      blockhash: () => this.#call('hash', BigInt(1 + random.below(Math.min(300, Number(this.#height))))),
      look: () => this.#call('look', toHex(someone)),
      precompile: () =>
        this.#call(
          'forward',
          toHex(new Uint8Array(20).fill(1 + random.below(10), 19)),
          toHex(random.bytes(128)),
        ),
      delegation: () => this.#delegate(random.below(accounts)),
      'plain create': () =>
        this.#send(random.below(accounts), { to: undefined, data: fromHex(childInit), value: 3n }),
    }
    const names = Object.keys(makers).filter((name) => name !== 'delegation' || since(this.#fork, 'prague'))
    // Deletions are what takes most of a witness.
    const kind = random.chance(0.25) ? 'clear' : random.pick(names)
    this.kinds.push(kind)
    return (makers[kind] as () => RecoveredTransaction)() // one of the names
  }

  /** Adds a contract that was created, for later transactions. */
  addChild(address: Uint8Array): void {
    this.#children.push(address)
  }

  #someone(): Uint8Array {
    const random = this.#random
    switch (random.below(4)) {
      case 0:
        return random.bytes(20)
      case 1:
        return this.#contract
      case 2:
        return random.pick(this.#children.length > 0 ? this.#children : [this.#contract])
      default:
        return addressOf(random.below(accounts))
    }
  }

  #call(functionName: string, ...args: readonly unknown[]): RecoveredTransaction {
    const data = fromHex(encodeFunctionData({ abi: this.#abi, functionName, args }))
    return this.#send(this.#random.below(accounts), { to: this.#contract, data, value: 0n })
  }

  /** An account delegates to the contract, or to nobody, and is called at once. */
  #delegate(sender: number): RecoveredTransaction {
    const authority = (sender + 1) % accounts
    const address = this.#random.chance(0.3) ? new Uint8Array(20) : this.#contract
    const nonce = this.#nonces[authority] as bigint
    const authorization = signAuthorization(
      { chainId: testChainId, address, nonce },
      new Uint8Array(32).fill(authority + 1),
    )
    this.#nonces[authority] = nonce + 1n
    const data = fromHex(
      encodeFunctionData({ abi: this.#abi, functionName: 'fill', args: [BigInt(sender), 2n] }),
    )
    const { transaction } = this.#send(sender, { to: addressOf(authority), data, value: 0n })
    const { signature: _, ...fields } = transaction
    return signCandidate(sender, { ...fields, type: 4, authorizations: [authorization] } as never)
  }

  #send(sender: number, fields: Parameters<typeof createCandidate>[2]): RecoveredTransaction {
    const nonce = this.#nonces[sender] as bigint
    this.#nonces[sender] = nonce + 1n
    return createCandidate(sender, nonce, { gasLimit, ...fields })
  }
}

const noBytes = new Uint8Array(0)

const encode = (address: Uint8Array): Hex =>
  encodeAbiParameters([{ type: 'address' }], [toHex(address) as Hex])

/** Opens a chain whose blocks have all that a witness may have to hold, from one seed. */
export const openVariedChain = async (fork: Fork, seed: number): Promise<VariedChain> => {
  const random = createRandom(seed)
  const folder = mkdtempSync(join(tmpdir(), 'perihelion-witness-'))
  const environment = new LmdbEnvironment({ path: join(folder, 'chain.mdb'), isDurable: false })
  const genesis = createDevGenesis({
    chainId: testChainId,
    accounts: [
      ...Array.from({ length: accounts }, (_, sender) => ({
        address: addressOf(sender),
        balance: 10n ** 20n,
      })),
      ...Array.from({ length: bystanders }, () => ({ address: random.bytes(20), balance: 1n })),
    ],
    coinbase: new Uint8Array(20),
    timestamp: 100n,
    fork,
  })
  const modules = await loadEvmModules()
  const newEvm = () => createEvm(modules, precompilesAt)
  const state = new StateStore(environment)
  const blocks = new BlockStore(environment)
  const app = new Application(genesis.config, { environment, state, blocks, evm: newEvm() })
  await app.initChain(genesis)
  const traffic = new Traffic(random, fork)
  const { config } = app
  const runner = new TraceRunner(
    { gasCap: 10n ** 8n },
    { config, state, blocks, evm: newEvm(), createEvm: newEvm },
  )

  const produceBlock = async (candidates: readonly RecoveredTransaction[]): Promise<void> => {
    const head = app.head
    if (head === undefined) throw new Error('there is no first block')
    const time = Number(head.header.timestamp) + 1 + random.below(3)
    const inputs = toBlockInputs(head.header, head.hash, {
      time,
      beneficiary: random.chance(0.5) ? new Uint8Array(20).fill(0xab) : random.bytes(20),
      engineHash: soloEngineHash(head.hash, time),
      gasLimit: head.header.gasLimit,
    })
    const { outcome } = app.executeBlock(inputs, candidates)
    const [rejected] = outcome.rejected
    if (rejected !== undefined) throw new Error(`a transaction was rejected: ${rejected.reason}`)
    for (const { result } of outcome.transactions)
      if (result.created !== undefined && result.success) traffic.addChild(result.created)
    await app.commit()
  }
  await produceBlock(traffic.begin())
  return {
    app,
    state,
    blocks,
    next: async () => {
      await produceBlock(traffic.next((app.head?.header.number ?? 0n) + 1n))
      return [...traffic.kinds]
    },
    witness: async (number) => {
      const hash = blocks.blockHashAt(number - 1)
      if (hash === undefined) throw new Error(`there is no block ${number - 1}`)
      const result = await runner.run(
        {
          kind: 'trace',
          block: { height: number - 1, hash, pending: undefined },
          nextHash: undefined,
          target: { kind: 'witness' },
          options: defaultTraceOptions,
          timeoutMs: 60_000,
          spoolFile: new SpoolRoom({ maxBytes: 1 << 30, minFreeBytes: 0 }).open(join(folder, 'spool')),
          maxBytes: 10 ** 8,
          memoryLimit: 10 ** 9,
        },
        () => false,
      )
      if (result.kind !== 'text') throw new Error(`the witness is ${result.kind}`)
      return JSON.parse(Buffer.from(result.bytes).toString()) as ExecutionWitness // as it is written
    },
    close: async () => {
      await environment.close()
      rmSync(folder, { recursive: true })
    },
  }
}
