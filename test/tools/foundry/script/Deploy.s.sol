// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {Counter} from "../src/Counter.sol";

interface Vm {
  function startBroadcast() external;
  function stopBroadcast() external;
}

/// Deploys two counters and sets one of them, in three transactions.
contract Deploy {
  Vm private constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
  bool public constant IS_SCRIPT = true;

  function run() external {
    vm.startBroadcast();
    Counter first = new Counter();
    new Counter();
    first.setNumber(42);
    vm.stopBroadcast();
  }
}
