// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.0;

/// What rows ask of a chain besides a token: logs, slots, loops.
contract Workbench {
    event Transfer(address indexed from, address indexed to, uint256 value);

    /// A hundred logs to recipients of their own, and one with a topic that is rare.
    function logs(uint256 call, uint256 rare) external {
        for (uint256 i = 0; i < 100; i++) emit Transfer(msg.sender, address(uint160(call * 1000 + i)), i);
        if (rare != 0) assembly { log1(0, 0, rare) }
    }

    /// Writes a hundred slots.
    function fill(uint256 base) external {
        for (uint256 i = 0; i < 100; i++) assembly { sstore(add(base, i), add(add(base, i), 1)) }
    }

    /// Reads a hundred slots.
    function sum(uint256 base) external view returns (uint256 total) {
        for (uint256 i = 0; i < 100; i++) assembly { total := add(total, sload(add(base, i))) }
    }

    /// Arithmetic on all 256 bits.
    function arithmetic(uint256 count) external pure returns (uint256 x) {
        assembly {
            x := 0xd1342543de82ef95a0b428c7e9f7c2a51e35a7bd8f1bbcdc9e3779b97f4a7c15
            for { let i := 0 } lt(i, count) { i := add(i, 1) } {
                x := add(mul(x, 0x9e3779b97f4a7c15f39cc0605cedc8341082276bf3a27251f86c6a11d0c18e95), i)
                x := xor(x, shr(13, x))
            }
        }
    }

    /// A chain of hashes of 32 bytes.
    function hashes(uint256 count) external pure returns (uint256 x) {
        assembly {
            for { let i := 0 } lt(i, count) { i := add(i, 1) } {
                mstore(0, x)
                x := keccak256(0, 32)
            }
        }
    }

    /// Something to trace: arithmetic on a deep stack, and a call, a read and a write in each round.
    function work(uint256 rounds, uint256 seed) external returns (uint256 x) {
        x = seed;
        for (uint256 i = 0; i < rounds; i++) {
            assembly {
                x := add(mul(x, 0x9e3779b97f4a7c15f39cc0605cedc835), 7)
                x := xor(x, shr(3, x))
                mstore(0, x)
                pop(staticcall(gas(), 4, 0, 32, 32, 32))
                sstore(1000000, add(sload(1000000), 1))
            }
        }
    }
}
