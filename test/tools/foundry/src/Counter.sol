// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

contract Counter {
  uint256 public number;

  error TooLarge(uint256 number);

  function setNumber(uint256 newNumber) external {
    if (newNumber > 1000) revert TooLarge(newNumber);
    number = newNumber;
  }
}
