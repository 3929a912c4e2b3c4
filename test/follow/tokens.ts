import { type Abi, encodeFunctionData } from 'viem'
import { compileSolidity } from '../../scripts/solidity.ts'
import type { TrafficChain } from '../indexers/trafficChain.ts'

/** The events of the standards, with the balances that they tell of; anybody may mint. */
const source = `
// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

contract Coin {
  mapping(address => uint256) public balanceOf;
  event Transfer(address indexed from, address indexed to, uint256 value);
  function mint(address to, uint256 value) external { unchecked { balanceOf[to] += value; } emit Transfer(address(0), to, value); }
  function transfer(address to, uint256 value) external { balanceOf[msg.sender] -= value; balanceOf[to] += value; emit Transfer(msg.sender, to, value); }
  function burn(uint256 value) external { balanceOf[msg.sender] -= value; emit Transfer(msg.sender, address(0), value); }
}

contract Deed {
  mapping(uint256 => address) public ownerOf;
  event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);
  function move(address to, uint256 id) external { emit Transfer(ownerOf[id], to, id); ownerOf[id] = to; }
}

contract Items {
  mapping(address => mapping(uint256 => uint256)) public balances;
  event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value);
  event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values);
  function balanceOf(address who, uint256 id) external view returns (uint256) { return balances[who][id]; }
  function mint(address to, uint256 id, uint256 value) external { balances[to][id] += value; emit TransferSingle(msg.sender, address(0), to, id, value); }
  function moveAll(address to, uint256[] calldata ids, uint256[] calldata values) external {
    for (uint256 i; i < ids.length; i++) { balances[msg.sender][ids[i]] -= values[i]; balances[to][ids[i]] += values[i]; }
    emit TransferBatch(msg.sender, msg.sender, to, ids, values);
  }
}

/** Logs that are none of the standards, though they have the topics. */
contract Liar {
  event Transfer(address indexed from, address indexed to, uint256 value);
  fallback(bytes calldata data) external returns (bytes memory) {
    bytes32 single = keccak256("TransferSingle(address,address,address,uint256,uint256)");
    bytes32 batch = keccak256("TransferBatch(address,address,address,uint256[],uint256[])");
    bytes32 transfer = keccak256("Transfer(address,address,uint256)");
    assembly {
      let at := mload(0x40)
      calldatacopy(at, 0, calldatasize())
      log4(at, calldatasize(), batch, 1, 2, 3)
      log4(at, calldatasize(), single, 1, 2, 3)
      log3(at, calldatasize(), transfer, 1, 2)
      log1(at, calldatasize(), transfer)
    }
    return data;
  }
}
`

export type TokenName = 'Coin' | 'Deed' | 'Items' | 'Liar'

const sender = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
interface Contract {
  readonly address: string
  readonly abi: Abi
}

/** Tokens on a chain. */
export class Tokens {
  readonly #chain: TrafficChain
  readonly #contracts = new Map<TokenName, Contract>()

  private constructor(chain: TrafficChain) {
    this.#chain = chain
  }

  static async deploy(chain: TrafficChain): Promise<Tokens> {
    const tokens = new Tokens(chain)
    for (const name of ['Coin', 'Deed', 'Items', 'Liar'] as const) {
      const { abi, evm } = compileSolidity(source, name)
      const transaction = { from: sender, data: `0x${evm.bytecode.object}`, gas: '0x2dc6c0' }
      const hash = await chain.rpc<string>('eth_sendTransaction', transaction)
      const { contractAddress } = await chain.rpc<{ contractAddress: string }>(
        'eth_getTransactionReceipt',
        hash,
      )
      tokens.#contracts.set(name, { address: contractAddress, abi: abi as unknown as Abi })
    }
    return tokens
  }

  addressOf(name: TokenName): string {
    return this.#of(name).address
  }

  abiOf(name: TokenName): Abi {
    return this.#of(name).abi
  }

  async send(name: TokenName, functionName: string, ...args: readonly unknown[]): Promise<void> {
    await this.sendData(name, encodeFunctionData({ abi: this.#of(name).abi, functionName, args }))
  }

  async sendData(name: TokenName, data: string): Promise<void> {
    const transaction = { from: sender, to: this.addressOf(name), data, gas: '0x2dc6c0' }
    await this.#chain.rpc('eth_sendTransaction', transaction)
  }

  /** Returns the word that a function gives. */
  async read(name: TokenName, functionName: string, ...args: readonly unknown[]): Promise<bigint> {
    const { abi, address: to } = this.#of(name)
    const data = encodeFunctionData({ abi, functionName, args })
    return BigInt(await this.#chain.rpc<string>('eth_call', { to, data }, 'latest'))
  }

  #of(name: TokenName): Contract {
    return this.#contracts.get(name) as Contract // all are deployed at first
  }
}
