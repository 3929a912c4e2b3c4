import { type AbiItem, compileSolidity } from '../../scripts/solidity.ts'

const source = `
// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// A plain ERC-20 whose whole supply belongs to the deployer at first.
contract Token {
  uint256 public totalSupply;
  mapping(address => uint256) public balanceOf;
  mapping(address => mapping(address => uint256)) public allowance;
  string public name = "Perihelion Test";
  string public symbol = "PTEST";
  uint8 public constant decimals = 18;

  event Transfer(address indexed from, address indexed to, uint256 value);
  event Approval(address indexed owner, address indexed spender, uint256 value);

  error BalanceTooLow(uint256 have, uint256 want);

  constructor(uint256 supply) {
    totalSupply = supply;
    balanceOf[msg.sender] = supply;
    emit Transfer(address(0), msg.sender, supply);
  }

  function transfer(address to, uint256 value) external returns (bool) {
    move(msg.sender, to, value);
    return true;
  }

  function approve(address spender, uint256 value) external returns (bool) {
    allowance[msg.sender][spender] = value;
    emit Approval(msg.sender, spender, value);
    return true;
  }

  function transferFrom(address from, address to, uint256 value) external returns (bool) {
    require(allowance[from][msg.sender] >= value, "allowance too low");
    allowance[from][msg.sender] -= value;
    move(from, to, value);
    return true;
  }

  function move(address from, address to, uint256 value) private {
    uint256 have = balanceOf[from];
    if (have < value) revert BalanceTooLow(have, value);
    balanceOf[from] = have - value;
    balanceOf[to] += value;
    emit Transfer(from, to, value);
  }
}
`

/** Where the layout of the contract puts the balances: position 1 of the storage. */
export const balancesSlot = 1
export const supply = 1_000_000n * 10n ** 18n

export interface Token {
  // The ABI is what the compiler makes of the source; each client reads it in its own way.
  readonly abi: readonly AbiItem[]
  readonly bytecode: `0x${string}`
  /** What is at its address once it is deployed. */
  readonly runtime: `0x${string}`
}

export const compileToken = (): Token => {
  const { abi, evm } = compileSolidity(source, 'Token')
  return { abi, bytecode: `0x${evm.bytecode.object}`, runtime: `0x${evm.deployedBytecode.object}` }
}
