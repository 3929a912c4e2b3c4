// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.0;

/// The usual token; its maker has all of it.
contract Token {
    mapping(address => uint256) public balanceOf;
    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor() {
        balanceOf[msg.sender] = 1 ether;
    }

    function transfer(address to, uint256 value) public returns (bool) {
        require(balanceOf[msg.sender] >= value, "balance");
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
        return true;
    }

    /// So many transfers, each to an account of its own.
    function transfers(uint256 count) external {
        for (uint256 i = 0; i < count; i++) transfer(address(uint160(0x1000000 + i)), 1);
    }
}
