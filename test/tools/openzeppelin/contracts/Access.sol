// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {AccessControlDefaultAdminRules} from "@openzeppelin/contracts/access/extensions/AccessControlDefaultAdminRules.sol";
import {ReentrancyGuard} from "@openzeppelin/contracts/utils/ReentrancyGuard.sol";

contract Owned is Ownable2Step {
  uint256 public value;

  constructor(address owner) Ownable(owner) {}

  function set(uint256 to) external onlyOwner {
    value = to;
  }
}

contract Ruled is AccessControlDefaultAdminRules {
  constructor(address admin) AccessControlDefaultAdminRules(1 days, admin) {}
}

contract Guarded is ReentrancyGuard {
  uint256 public depth;

  function enter(uint256 times) external nonReentrant {
    depth++;
    if (times > 0) this.enter(times - 1);
  }
}
