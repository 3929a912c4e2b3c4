// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {AccessControl} from "@openzeppelin/contracts/access/AccessControl.sol";
import {IERC3156FlashBorrower} from "@openzeppelin/contracts/interfaces/IERC3156FlashBorrower.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC20Burnable} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Burnable.sol";
import {ERC20Capped} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Capped.sol";
import {ERC20FlashMint} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20FlashMint.sol";
import {ERC20Pausable} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Pausable.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {IERC721Receiver} from "@openzeppelin/contracts/token/ERC721/IERC721Receiver.sol";
import {ERC721Burnable} from "@openzeppelin/contracts/token/ERC721/extensions/ERC721Burnable.sol";
import {ERC721Enumerable} from "@openzeppelin/contracts/token/ERC721/extensions/ERC721Enumerable.sol";
import {ERC721URIStorage} from "@openzeppelin/contracts/token/ERC721/extensions/ERC721URIStorage.sol";
import {ERC1155} from "@openzeppelin/contracts/token/ERC1155/ERC1155.sol";
import {ERC1155Supply} from "@openzeppelin/contracts/token/ERC1155/extensions/ERC1155Supply.sol";
import {ERC1155Holder} from "@openzeppelin/contracts/token/ERC1155/utils/ERC1155Holder.sol";

contract Coin is ERC20Burnable, ERC20Pausable, ERC20Permit, ERC20Capped, AccessControl {
  bytes32 public constant MINTER = keccak256("MINTER");

  constructor(address admin) ERC20("Coin", "COIN") ERC20Permit("Coin") ERC20Capped(1000) {
    _grantRole(DEFAULT_ADMIN_ROLE, admin);
    _mint(admin, 500);
  }

  function mint(address to, uint256 amount) external onlyRole(MINTER) {
    _mint(to, amount);
  }

  function pause() external onlyRole(DEFAULT_ADMIN_ROLE) {
    _pause();
  }

  function unpause() external onlyRole(DEFAULT_ADMIN_ROLE) {
    _unpause();
  }

  function _update(address from, address to, uint256 value) internal override(ERC20, ERC20Pausable, ERC20Capped) {
    super._update(from, to, value);
  }
}

contract FlashCoin is ERC20FlashMint {
  constructor() ERC20("Flash", "FLASH") {
    _mint(msg.sender, 100);
  }
}

contract Borrower is IERC3156FlashBorrower {
  bool public repays = true;
  uint256 public seen;

  function setRepays(bool value) external {
    repays = value;
  }

  function onFlashLoan(address, address token, uint256 amount, uint256 fee, bytes calldata) external returns (bytes32) {
    seen = IERC20(token).balanceOf(address(this));
    if (repays) IERC20(token).approve(msg.sender, amount + fee);
    return keccak256("ERC3156FlashBorrower.onFlashLoan");
  }
}

contract Vault is ERC4626 {
  constructor(IERC20 coin) ERC20("Vault", "VLT") ERC4626(coin) {}
}

contract Item is ERC721Enumerable, ERC721URIStorage, ERC721Burnable {
  constructor() ERC721("Item", "ITEM") {}

  function mint(address to, uint256 id, string calldata uri) external {
    _safeMint(to, id);
    _setTokenURI(id, uri);
  }

  function _update(address to, uint256 id, address auth) internal override(ERC721, ERC721Enumerable) returns (address) {
    return super._update(to, id, auth);
  }

  function _increaseBalance(address account, uint128 value) internal override(ERC721, ERC721Enumerable) {
    super._increaseBalance(account, value);
  }

  function tokenURI(uint256 id) public view override(ERC721, ERC721URIStorage) returns (string memory) {
    return super.tokenURI(id);
  }

  function supportsInterface(bytes4 id) public view override(ERC721, ERC721Enumerable, ERC721URIStorage) returns (bool) {
    return super.supportsInterface(id);
  }
}

contract ItemHolder is IERC721Receiver {
  bytes public last;

  function onERC721Received(address, address, uint256, bytes calldata data) external returns (bytes4) {
    last = data;
    return IERC721Receiver.onERC721Received.selector;
  }
}

contract Goods is ERC1155Supply {
  constructor() ERC1155("https://goods/{id}.json") {
    _mint(msg.sender, 1, 100, "");
    _mint(msg.sender, 2, 1, "");
  }

  function burn(address from, uint256 id, uint256 amount) external {
    _burn(from, id, amount);
  }
}

contract GoodsHolder is ERC1155Holder {}
