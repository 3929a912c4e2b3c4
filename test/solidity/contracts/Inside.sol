// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.4;

error Plain();
error Short(uint256 have, uint256 want);

function half(uint256 x) pure returns (uint256) {
    require(x % 2 == 0, "odd");
    return x / 2;
}

library Sums {
    function sum(uint256[] memory list) internal pure returns (uint256 total) {
        for (uint256 i = 0; i < list.length; i++) {
            total += list[i];
        }
        require(total < 100, "too much");
    }
}

contract Base {
    uint256 public limit = 10;
    address internal owner = address(1);

    modifier onlyOwner() {
        require(msg.sender == owner, "not the owner");
        _;
    }

    modifier below(uint256 x) {
        checkBelow(x);
        _;
    }

    modifier after_() {
        _;
        require(limit == 0, "still there");
    }

    function checkBelow(uint256 x) internal view {
        if (x >= limit) {
            revert Short(x, limit);
        }
    }

    function inherited(uint256 x) public view virtual returns (uint256) {
        require(x > limit, "base");
        return x;
    }

    function overridden() public virtual {
        limit = 0;
        revert("of the base");
    }
}

contract Inside is Base {
    enum Colour { Red, Green }

    uint256[] private items;
    mapping(address => uint256) private balances;
    function(uint256) internal returns (uint256) private pointer;
    Colour private colour;
    bytes private data = hex"0102";

    function requireText(uint256 x) external {
        items.push(x);
        require(x == 0, "text");
    }

    function requireNothing(uint256 x) external {
        items.push(x);
        require(x == 0);
    }

    function requireLines(uint256 x) external {
        items.push(x);
        require(
            x == 0,
            "of several lines"
        );
    }

    function revertNothing() external {
        items.push(1);
        revert();
    }

    function revertText() external {
        items.push(1);
        revert("text");
    }

    function revertError() external {
        items.push(1);
        revert Plain();
    }

    function revertArguments(uint256 x) external {
        items.push(1);
        if (x < 50) revert Short(x, 50);
    }

    function assertion(uint256 x) external {
        items.push(1);
        assert(x == 0);
    }

    function add(uint256 x) external {
        items.push(1);
        uint256 sum = x + type(uint256).max;
        items.push(sum);
    }

    function subtract(uint256 x) external {
        items.push(1);
        balances[msg.sender] -= x;
    }

    function multiply(uint256 x) external {
        items.push(
            x * type(uint256).max
        );
    }

    function power(uint256 x) external {
        items.push(1);
        items.push(x ** 255);
    }

    function increment() external {
        uint8 small = 255;
        items.push(1);
        small++;
        items.push(small);
    }

    function divide(uint256 x) external {
        items.push(1);
        items.push(x / items[1]);
    }

    function divideByZero(uint256 x) external {
        items.push(0);
        items.push(x / items[0]);
    }

    function modulo(uint256 x) external {
        items.push(0);
        items.push(x % items[0]);
    }

    function negate(int256 x) external {
        items.push(1);
        items.push(uint256(-x));
    }

    function bounds(uint256 x) external {
        uint256[] memory list = new uint256[](2);
        items.push(1);
        list[x] = 1;
        items.push(list[0]);
    }

    function storageBounds(uint256 x) external {
        items.push(1);
        items[x] = 2;
    }

    function calldataBounds(uint256[] calldata list) external {
        items.push(1);
        items.push(list[7]);
    }

    function bytesBounds(uint256 x) external {
        items.push(1);
        items.push(uint8(data[x]));
    }

    function popEmpty() external {
        limit = 3;
        items.pop();
    }

    function enumeration(uint256 x) external {
        items.push(1);
        colour = Colour(x);
    }

    function memoryTooLarge(uint256 x) external {
        items.push(1);
        uint256[] memory list = new uint256[](x);
        items.push(list.length);
    }

    function uninitialized(uint256 x) external {
        items.push(1);
        items.push(pointer(x));
    }

    function throughPointer(uint256 x) external {
        pointer = third;
        items.push(pointer(x));
    }

    function nested(uint256 x) external {
        items.push(1);
        first(x);
    }

    function first(uint256 x) internal {
        items.push(2);
        items.push(second(x));
    }

    function second(uint256 x) internal returns (uint256) {
        items.push(3);
        return third(x) + 1;
    }

    function third(uint256 x) internal returns (uint256) {
        items.push(4);
        require(x > 100, "too small");
        return x;
    }

    function small(uint256 x) internal pure returns (uint256) {
        return x - 1;
    }

    function inlined(uint256 x) external {
        items.push(1);
        items.push(small(x));
    }

    function recursive(uint256 x) public {
        items.push(x);
        require(x > 0, "the end");
        recursive(x - 1);
    }

    function guarded() external onlyOwner {
        items.push(1);
    }

    function guardedTwice(uint256 x) external below(100) onlyOwner {
        items.push(x);
    }

    function guardedByFunction(uint256 x) external below(x) {
        items.push(x);
    }

    function guardedAfter(uint256 x) external after_ {
        items.push(x);
    }

    function insideGuard(uint256 x) external below(1) {
        items.push(1);
        first(x);
    }

    function inherited(uint256 x) public view override returns (uint256) {
        return super.inherited(x) + 1;
    }

    function callsInherited(uint256 x) external {
        items.push(1);
        checkBelow(x);
    }

    function free(uint256 x) external {
        items.push(1);
        items.push(half(x));
    }

    function inLibrary(uint256 x) external {
        uint256[] memory list = new uint256[](3);
        list[1] = x;
        items.push(Sums.sum(list));
    }

    function afterLoop(uint256 x) external {
        uint256 total = 0;
        for (uint256 i = 0; i < x; i++) {
            total += half(2 * i);
        }
        require(total == 0, "after the loop");
    }

    function inLoop(uint256 x) external {
        for (uint256 i = 0; i < x; i++) {
            limit += half(i);
        }
    }

    function ternary(uint256 x) external {
        items.push(1);
        items.push(x > 5 ? half(x) : small(x));
    }

    function assemblyRevert() external {
        items.push(1);
        assembly {
            mstore(0, 1)
            revert(0, 32)
        }
    }

    function assemblyInvalid() external {
        items.push(1);
        assembly {
            invalid()
        }
    }

    function endless() external {
        items.push(1);
        while (true) {
            limit++;
        }
    }

    function logic(uint256 x) external {
        items.push(1);
        if (x > 1 && half(x) > 3) {
            items.push(2);
        }
    }

    function manyBranches(uint256 x) external {
        if (x == 1) revert("one");
        if (x == 2) revert("two");
        if (x == 3) revert("three");
        items.push(x);
        if (x == 4) revert("four");
    }
}
