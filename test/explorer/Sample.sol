// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// A token for the tests of the explorer, whose names, events and reasons can be anything.
contract Token {
    string public name;
    string public symbol;
    uint8 public constant decimals = 18;
    uint256 public totalSupply = 1e24;
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Noted(string text, uint256[] numbers);
    error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed);
    error NotAtThisHour(uint256 hour);

    constructor(string memory name_, string memory symbol_) {
        name = name_;
        symbol = symbol_;
        balanceOf[msg.sender] = totalSupply;
        emit Transfer(address(0), msg.sender, totalSupply);
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        uint256 balance = balanceOf[msg.sender];
        if (balance < amount) revert ERC20InsufficientBalance(msg.sender, balance, amount);
        balanceOf[msg.sender] = balance - amount;
        balanceOf[to] += amount;
        emit Transfer(msg.sender, to, amount);
        return true;
    }

    function note(string calldata text, uint256[] calldata numbers) external {
        emit Noted(text, numbers);
    }

    function fail(string calldata reason) external pure {
        require(false, reason);
    }

    function close() external pure {
        revert NotAtThisHour(7);
    }
}

/// A chain of contracts that calls the token at its end.
contract Link {
    Link public immutable next;
    Token public immutable token;

    constructor(Link next_, Token token_) {
        next = next_;
        token = token_;
    }

    function go(uint256 amount) external {
        if (address(next) == address(0)) token.transfer(msg.sender, amount);
        else next.go(amount);
    }

    function close() external view {
        token.close();
    }
}
