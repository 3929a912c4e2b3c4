// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.4;

contract Plain {
    uint256 public count;

    function grow() external {
        while (true) {
            count++;
        }
    }
}

contract Unpaid {
    fallback() external {}
}

contract Paid {
    uint256 public count;

    fallback() external {
        count++;
    }

    receive() external payable {
        count++;
    }
}

contract Refusals {
    Plain private plain = new Plain();
    Unpaid private unpaid = new Unpaid();

    constructor() payable {}

    function transferToPlain() external {
        payable(address(plain)).transfer(1);
    }

    function transferToUnpaid() external {
        payable(address(unpaid)).transfer(1);
    }

    function transferTooMuch() external {
        payable(address(plain)).transfer(1000 ether);
    }

    function sendTooMuch() external {
        require(payable(address(plain)).send(1000 ether));
    }

    function callWithLittleGas() external {
        plain.grow{gas: 5000}();
    }

    function hugeMemory() external pure {
        assembly {
            mstore(0xffffffffffffff, 1)
        }
    }
}
