// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// Says whatever it is told wherever a contract can say something.
contract Hostile {
    string public name;
    string public symbol;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Noted(string text);
    error Odd(string text);

    constructor(string memory name_, string memory symbol_) {
        name = name_;
        symbol = symbol_;
        emit Transfer(address(0), msg.sender, 1);
    }

    function note(string calldata text) external {
        emit Noted(text);
    }

    function fail(string calldata reason) external pure {
        revert(reason); // PLANTED
    }

    function odd(string calldata text) external pure {
        revert Odd(text);
    }

    function speak(string calldata text) external view {
        (bool isDone, ) = 0x000000000000000000636F6e736F6c652e6c6f67.staticcall(abi.encodeWithSignature("log(string)", text));
        require(isDone);
    }
}
