// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {ERC2771Context} from "@openzeppelin/contracts/metatx/ERC2771Context.sol";
import {ERC2771Forwarder} from "@openzeppelin/contracts/metatx/ERC2771Forwarder.sol";
import {Base64} from "@openzeppelin/contracts/utils/Base64.sol";
import {Create2} from "@openzeppelin/contracts/utils/Create2.sol";
import {Multicall} from "@openzeppelin/contracts/utils/Multicall.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {MerkleProof} from "@openzeppelin/contracts/utils/cryptography/MerkleProof.sol";
import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";

contract Tools is Multicall {
  using EnumerableSet for EnumerableSet.UintSet;

  EnumerableSet.UintSet private numbers;

  function add(uint256 value) external returns (bool) {
    return numbers.add(value);
  }

  function remove(uint256 value) external returns (bool) {
    return numbers.remove(value);
  }

  function values() external view returns (uint256[] memory) {
    return numbers.values();
  }

  function decimal(uint256 value) external pure returns (string memory) {
    return Strings.toString(value);
  }

  function hexadecimal(uint256 value) external pure returns (string memory) {
    return Strings.toHexString(value);
  }

  function base64(bytes calldata data) external pure returns (string memory) {
    return Base64.encode(data);
  }

  function sqrt(uint256 value) external pure returns (uint256) {
    return Math.sqrt(value);
  }

  function log2(uint256 value) external pure returns (uint256) {
    return Math.log2(value);
  }

  function mulDiv(uint256 x, uint256 y, uint256 denominator) external pure returns (uint256) {
    return Math.mulDiv(x, y, denominator);
  }

  function modExp(uint256 base, uint256 exponent, uint256 modulus) external view returns (uint256) {
    return Math.modExp(base, exponent, modulus);
  }

  function toUint8(uint256 value) external pure returns (uint8) {
    return SafeCast.toUint8(value);
  }

  function recover(bytes calldata message, bytes calldata signature) external pure returns (address) {
    return ECDSA.recover(MessageHashUtils.toEthSignedMessageHash(message), signature);
  }

  function verify(bytes32[] calldata proof, bytes32 root, bytes32 leaf) external pure returns (bool) {
    return MerkleProof.verifyCalldata(proof, root, leaf);
  }

  function create(bytes32 salt, bytes calldata code) external returns (address) {
    return Create2.deploy(0, salt, code);
  }

  function created(bytes32 salt, bytes32 codeHash) external view returns (address) {
    return Create2.computeAddress(salt, codeHash);
  }
}

contract Forwarder is ERC2771Forwarder {
  constructor() ERC2771Forwarder("Forwarder") {}
}

contract Target is ERC2771Context {
  address public last;

  event Called(address by, uint256 value);

  constructor(address forwarder) ERC2771Context(forwarder) {}

  function touch(uint256 value) external {
    last = _msgSender();
    emit Called(_msgSender(), value);
  }
}
