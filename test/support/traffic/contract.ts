import { compileSolidity } from '../../../scripts/solidity.ts'

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

interface TrafficContract {
  readonly abi: readonly unknown[]
  readonly bytecode: `0x${string}`
}

let compiled: TrafficContract | undefined

/** A contract that logs, stores, clears, creates, reverts and runs out of gas on request; compiled once. */
export const compileTraffic = (): TrafficContract => {
  compiled ??= compile()
  return compiled
}

const compile = (): TrafficContract => {
  const { abi, evm } = compileSolidity(source, 'Traffic')
  return { abi, bytecode: `0x${evm.bytecode.object}` }
}
