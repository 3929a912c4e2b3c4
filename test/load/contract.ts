import { createRequire } from 'node:module'

const source = `
// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

contract Child { uint256 public born = block.number; }

contract Traffic {
  mapping(address => uint256) public counts;
  mapping(uint256 => uint256) public slots;
  event Moved(address indexed who, uint256 indexed amount, bytes note);
  event Made(address child);

  function move(uint256 amount, bytes calldata note) external payable {
    counts[msg.sender] += amount;
    emit Moved(msg.sender, amount, note);
    if (amount % 3 == 0) emit Moved(address(this), amount / 3, note);
  }
  function fill(uint256 from, uint256 count) external { for (uint256 i; i < count; i++) slots[from + i] = block.number + i; }
  function clear(uint256 from, uint256 count) external { for (uint256 i; i < count; i++) delete slots[from + i]; }
  function make() external { emit Made(address(new Child())); }
  function fail(string calldata why) external pure { revert(why); }
  function loop() external { while (true) { slots[0]++; } }
}
`

interface CompiledContract {
  readonly abi: readonly unknown[]
  readonly bytecode: `0x${string}`
}

interface SolcOutput {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[]
  readonly contracts: { readonly 'Traffic.sol': Readonly<Record<string, SolcContract>> }
}

interface SolcContract {
  readonly abi: readonly unknown[]
  readonly evm: { readonly bytecode: { readonly object: string } }
}

let compiled: CompiledContract | undefined

/** A contract that logs, stores, clears, creates, reverts and runs out of gas on request; compiled once. */
export const compileTraffic = (): CompiledContract => {
  compiled ??= compile()
  return compiled
}

const compile = (): CompiledContract => {
  const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string }
  const input = {
    language: 'Solidity',
    sources: { 'Traffic.sol': { content: source } },
    settings: {
      optimizer: { enabled: true },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as SolcOutput
  const faults = output.errors?.filter(({ severity }) => severity === 'error') ?? []
  if (faults.length > 0) throw new Error(faults.map(({ formattedMessage }) => formattedMessage).join('\n'))
  const { abi, evm } = output.contracts['Traffic.sol'].Traffic as SolcContract
  return { abi, bytecode: `0x${evm.bytecode.object}` }
}
