// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {ERC1967Proxy} from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";
import {BeaconProxy} from "@openzeppelin/contracts/proxy/beacon/BeaconProxy.sol";
import {UpgradeableBeacon} from "@openzeppelin/contracts/proxy/beacon/UpgradeableBeacon.sol";
import {Initializable} from "@openzeppelin/contracts/proxy/utils/Initializable.sol";
import {UUPSUpgradeable} from "@openzeppelin/contracts/proxy/utils/UUPSUpgradeable.sol";
import {TransparentUpgradeableProxy} from "@openzeppelin/contracts/proxy/transparent/TransparentUpgradeableProxy.sol";
import {ProxyAdmin} from "@openzeppelin/contracts/proxy/transparent/ProxyAdmin.sol";

contract CounterOne is Initializable, UUPSUpgradeable {
  address public owner;
  uint256 public count;

  error NotOwner(address caller);

  constructor() {
    _disableInitializers();
  }

  function initialize(address owner_, uint256 start) external initializer {
    owner = owner_;
    count = start;
  }

  function increase() external virtual {
    count += 1;
  }

  function version() external pure virtual returns (string memory) {
    return "one";
  }

  function _authorizeUpgrade(address) internal view override {
    if (msg.sender != owner) revert NotOwner(msg.sender);
  }
}

contract CounterTwo is CounterOne {
  function increase() external override {
    count += 10;
  }

  function version() external pure override returns (string memory) {
    return "two";
  }

  function migrate(uint256 to) external reinitializer(2) {
    count = to;
  }
}

contract Plain {
  uint256 public count;

  function increase() external {
    count++;
  }
}

contract Cloner {
  event Cloned(address made);

  function clone(address what, bytes32 salt) external {
    emit Cloned(Clones.cloneDeterministic(what, salt));
  }

  function predict(address what, bytes32 salt) external view returns (address) {
    return Clones.predictDeterministicAddress(what, salt);
  }
}
