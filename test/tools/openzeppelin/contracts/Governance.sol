// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {VestingWallet} from "@openzeppelin/contracts/finance/VestingWallet.sol";
import {Governor} from "@openzeppelin/contracts/governance/Governor.sol";
import {TimelockController} from "@openzeppelin/contracts/governance/TimelockController.sol";
import {GovernorCountingSimple} from "@openzeppelin/contracts/governance/extensions/GovernorCountingSimple.sol";
import {GovernorVotes} from "@openzeppelin/contracts/governance/extensions/GovernorVotes.sol";
import {IVotes} from "@openzeppelin/contracts/governance/utils/IVotes.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {ERC20Votes} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Votes.sol";
import {Nonces} from "@openzeppelin/contracts/utils/Nonces.sol";

contract VotingCoin is ERC20Permit, ERC20Votes {
  constructor() ERC20("Vote", "VOTE") ERC20Permit("Vote") {
    _mint(msg.sender, 100);
  }

  function _update(address from, address to, uint256 value) internal override(ERC20, ERC20Votes) {
    super._update(from, to, value);
  }

  function nonces(address owner) public view override(ERC20Permit, Nonces) returns (uint256) {
    return super.nonces(owner);
  }
}

contract Council is GovernorCountingSimple, GovernorVotes {
  constructor(IVotes token) Governor("Council") GovernorVotes(token) {}

  function votingDelay() public pure override returns (uint256) {
    return 2;
  }

  function votingPeriod() public pure override returns (uint256) {
    return 5;
  }

  function quorum(uint256) public pure override returns (uint256) {
    return 40;
  }
}

contract Lock is TimelockController {
  constructor(address[] memory proposers, address[] memory executors, address admin)
    TimelockController(1 hours, proposers, executors, admin)
  {}
}

contract Vesting is VestingWallet {
  constructor(address owner, uint64 start, uint64 duration) payable VestingWallet(owner, start, duration) {}
}
