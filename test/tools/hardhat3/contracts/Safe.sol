// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import "hardhat/console.sol";

contract Safe {
  uint256 public immutable opensAt;
  mapping(address => uint256) public balanceOf;

  event Deposit(address indexed from, uint256 amount);

  error TooEarly(uint256 now_, uint256 opensAt);

  constructor(uint256 opensAt_) payable {
    opensAt = opensAt_;
    console.log("opens at %d for %s", opensAt_, msg.sender);
  }

  function deposit() external payable {
    require(msg.value > 0, "nothing sent");
    balanceOf[msg.sender] += msg.value;
    emit Deposit(msg.sender, msg.value);
  }

  function withdraw() external {
    if (block.timestamp < opensAt) revert TooEarly(block.timestamp, opensAt);
    uint256 amount = balanceOf[msg.sender];
    balanceOf[msg.sender] = 0;
    payable(msg.sender).transfer(amount);
  }

  function overflow(uint256 value) external view returns (uint256) {
    return opensAt + value;
  }
}
