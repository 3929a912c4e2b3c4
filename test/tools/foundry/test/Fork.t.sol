// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {Counter} from "../src/Counter.sol";

interface Vm {
  function envAddress(string calldata name) external view returns (address);
}

/// Reads what the node has, through a fork of it.
contract ForkTest {
  Vm private constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
  bool public constant IS_TEST = true;

  function test_readsTheNode() external {
    Counter counter = Counter(vm.envAddress("COUNTER"));
    require(counter.number() == 7, "wrong number");
    counter.setNumber(8);
    require(counter.number() == 8, "not set");
  }
}
