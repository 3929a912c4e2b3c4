// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import "hardhat/console.sol";

contract Vault {
  uint256 public immutable unlockTime;
  mapping(address => uint256) public balanceOf;

  event Deposit(address indexed from, uint256 amount);

  error TooEarly(uint256 now_, uint256 unlockTime);

  constructor(uint256 unlockTime_) payable {
    unlockTime = unlockTime_;
    console.log("unlocks at %d", unlockTime_);
  }

  function deposit() external payable {
    require(msg.value > 0, "nothing sent");
    balanceOf[msg.sender] += msg.value;
    emit Deposit(msg.sender, msg.value);
  }

  function withdraw() external {
    if (block.timestamp < unlockTime) revert TooEarly(block.timestamp, unlockTime);
    uint256 amount = balanceOf[msg.sender];
    balanceOf[msg.sender] = 0;
    payable(msg.sender).transfer(amount);
  }

  function boom() external pure {
    assert(false);
  }
}
