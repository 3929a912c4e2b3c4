// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.4;

interface Asked {
    function number() external returns (uint256);
}

library Linked {
    function check(uint256 x) external pure returns (uint256) {
        require(x > 100, "checked by the library");
        return x;
    }

    function change(uint256[] storage list, uint256 x) external {
        list.push(x);
        list[x] = 1;
    }
}

contract Target {
    uint256 public immutable least;
    uint256 public value;

    constructor(uint256 least_) {
        least = least_;
    }

    function set(uint256 x) external {
        value = x;
        require(x >= least, "too small for the target");
    }

    function fails() external pure {
        revert();
    }

    function panics(uint256 x) external {
        value = x;
        value = x / (x - x);
    }

    function burns() external {
        while (true) {
            value++;
        }
    }

    function nothing() external {}
}

contract Shy {
    uint256 public count;

    function only() external {
        count++;
    }
}

contract Loud {
    uint256 public count;

    receive() external payable {
        count++;
        revert("keep it");
    }

    fallback() external {
        count++;
        require(msg.data.length == 0, "no such function here");
    }
}

contract Fails {
    uint256 public x;

    constructor(uint256 y) {
        x = y;
        require(y > 5, "not built");
    }
}

contract FailsInBase is Fails {
    constructor(uint256 y) payable Fails(y) {
        x = 2;
    }
}

contract FailsInInitializer {
    uint256 public a = zero();
    uint256 public b = 1 / zero();

    function zero() internal view returns (uint256) {
        return address(this).balance;
    }
}

contract FailsInFunction {
    uint256 public a;

    constructor() {
        a = 1;
        set(0);
    }

    function set(uint256 x) internal {
        a = 2;
        assert(x == a);
    }
}

contract Proxy {
    uint256 private unused;
    address private immutable target;

    constructor(address to) {
        target = to;
    }

    fallback() external payable {
        address to = target;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), to, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch ok
            case 0 { revert(0, returndatasize()) }
            default { return(0, returndatasize()) }
        }
    }
}

contract Outside {
    Target private target;
    Shy private shy;
    Loud private loud;
    address private proxy;
    uint256[] private items;

    constructor() payable {
        target = new Target(10);
        shy = new Shy();
        loud = new Loud();
        proxy = address(new Proxy(address(target)));
    }

    function calls(uint256 x) external {
        items.push(1);
        target.set(x);
    }

    function callsThroughProxy(uint256 x) external {
        items.push(1);
        Target(proxy).set(x);
    }

    function callsWithoutReason() external {
        items.push(1);
        target.fails();
    }

    function callsPanic(uint256 x) external {
        items.push(1);
        target.panics(x);
    }

    function callsFromInside(uint256 x) external {
        items.push(1);
        inside(x);
    }

    function inside(uint256 x) internal {
        items.push(2);
        target.set(x);
    }

    function ownAfterCall(uint256 x) external {
        (bool ok, ) = address(target).call(abi.encodeWithSelector(Target.set.selector, x));
        items.push(1);
        require(ok, "the call failed");
    }

    function ownAfterCatch(uint256 x) external {
        try target.set(x) {
            items.push(1);
        } catch {
            items.push(2);
            revert("caught");
        }
    }

    function ownAfterSuccess(uint256 x) external {
        target.nothing();
        items.push(x);
        require(x == 0, "after a call");
    }

    function bubbles(uint256 x) external {
        (bool ok, bytes memory data) = address(target).call(abi.encodeWithSelector(Target.set.selector, x));
        items.push(1);
        if (!ok) {
            assembly {
                revert(add(data, 32), mload(data))
            }
        }
    }

    function nobody() external {
        items.push(1);
        items.push(Asked(address(0x1234)).number());
    }

    function lessData() external {
        items.push(1);
        items.push(Asked(address(loud)).number());
    }

    function noData() external {
        items.push(1);
        items.push(Asked(address(4)).number());
    }

    function noSelector() external {
        items.push(1);
        items.push(Asked(address(target)).number());
    }

    function viaThis(uint256 x) external {
        items.push(1);
        this.calls(x);
    }

    function delegates(uint256 x) external {
        items.push(1);
        (bool ok, bytes memory data) =
            address(target).delegatecall(abi.encodeWithSelector(Target.set.selector, x));
        if (!ok) {
            assembly {
                revert(add(data, 32), mload(data))
            }
        }
    }

    function inLinked(uint256 x) external {
        items.push(1);
        items.push(Linked.check(x));
    }

    function changesInLinked(uint256 x) external {
        items.push(1);
        Linked.change(items, x);
    }

    function creates(uint256 x) external {
        items.push(1);
        items.push(new Fails(x).x());
    }

    function createsWithSalt(uint256 x) external {
        items.push(1);
        items.push(new Fails{salt: bytes32(x)}(x).x());
    }

    function transfersToShy() external {
        items.push(1);
        payable(address(shy)).transfer(1);
    }

    function transfersToLoud() external {
        items.push(1);
        payable(address(loud)).transfer(1);
    }

    function sendsToShy() external {
        items.push(1);
        require(payable(address(shy)).send(1), "not sent");
    }

    function sendsTooMuch() external {
        items.push(1);
        payable(address(0x1234)).transfer(1000 ether);
    }

    function callBurns() external {
        items.push(1);
        target.burns{gas: 50000}();
    }

    function wrongBool(bool x) external {
        items.push(x ? 1 : 0);
    }

    function takesList(uint256[] calldata list) external {
        items.push(list.length);
    }

    function takesText(string memory text) external {
        items.push(bytes(text).length);
    }

    function notPayable(uint256 x) external {
        items.push(x);
    }

    function isPayable(uint256 x) external payable {
        items.push(x);
    }

    function decodes(bytes calldata data) external {
        items.push(1);
        items.push(abi.decode(data, (uint256)));
    }
}
