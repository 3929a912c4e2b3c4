// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// The validators of a chain. A chain under a replicated engine has this code from its first block on, at an address
/// and with a storage that docs/validators.md describes; the node reads the storage itself and calls nothing here.
/// What a block changes decides from the second block after it on.
contract ValidatorSet {
  struct Validator {
    /// Receives the tips of the blocks that it proposes, unless its node is told otherwise.
    address reward;
    uint64 power;
    /// Its place in `keys`, counted from one; zero for a key that is no validator.
    uint32 place;
  }

  /// The engine multiplies the sum of all powers by eight in 64 bits with a sign.
  uint256 private constant maxTotalPower = 2 ** 60 - 1;
  uint256 private constant maxValidators = 1000;

  // The storage: slots 0 to 4, in this order. The node reads it, so the order is for ever.
  address public admin;
  address public pendingAdmin;
  uint256 public totalPower;
  bytes32[] private keys;
  mapping(bytes32 => Validator) private entries;

  event ValidatorAdded(bytes32 indexed pubkey, uint64 power, address reward);
  event ValidatorRemoved(bytes32 indexed pubkey);
  event PowerChanged(bytes32 indexed pubkey, uint64 before, uint64 power);
  event RewardChanged(bytes32 indexed pubkey, address before, address reward);
  event AdminOffered(address indexed admin, address indexed next);
  event AdminChanged(address indexed before, address indexed admin);

  error NotAllowed(address caller);
  error NotAValidator(bytes32 pubkey);
  error AlreadyAValidator(bytes32 pubkey);
  error InvalidKey();
  error InvalidReward();
  error InvalidPower();
  error TotalPowerTooHigh();
  error TooManyValidators();
  error LastValidator();

  modifier onlyAdmin() {
    if (msg.sender != admin) revert NotAllowed(msg.sender);
    _;
  }

  function add(bytes32 pubkey, uint64 power, address reward) external onlyAdmin {
    if (pubkey == 0) revert InvalidKey();
    if (reward == address(0)) revert InvalidReward();
    if (entries[pubkey].place != 0) revert AlreadyAValidator(pubkey);
    if (keys.length == maxValidators) revert TooManyValidators();
    changeTotal(0, power);
    keys.push(pubkey);
    entries[pubkey] = Validator({reward: reward, power: power, place: uint32(keys.length)});
    emit ValidatorAdded(pubkey, power, reward);
  }

  /// The last one of the list takes its place.
  function remove(bytes32 pubkey) external onlyAdmin {
    Validator memory gone = known(pubkey);
    if (keys.length == 1) revert LastValidator();
    bytes32 last = keys[keys.length - 1];
    keys[gone.place - 1] = last;
    entries[last].place = gone.place;
    keys.pop();
    delete entries[pubkey];
    totalPower -= gone.power;
    emit ValidatorRemoved(pubkey);
  }

  function setPower(bytes32 pubkey, uint64 power) external onlyAdmin {
    uint64 before = known(pubkey).power;
    changeTotal(before, power);
    entries[pubkey].power = power;
    emit PowerChanged(pubkey, before, power);
  }

  /// Also for the one who receives the rewards now.
  function setReward(bytes32 pubkey, address reward) external {
    address before = known(pubkey).reward;
    if (msg.sender != admin && msg.sender != before) revert NotAllowed(msg.sender);
    if (reward == address(0)) revert InvalidReward();
    entries[pubkey].reward = reward;
    emit RewardChanged(pubkey, before, reward);
  }

  /// In two steps, so that the set is never left to an address that nobody can use. The zero address takes an offer back.
  function offerAdmin(address next) external onlyAdmin {
    pendingAdmin = next;
    emit AdminOffered(admin, next);
  }

  function acceptAdmin() external {
    if (msg.sender != pendingAdmin) revert NotAllowed(msg.sender);
    emit AdminChanged(admin, msg.sender);
    admin = msg.sender;
    pendingAdmin = address(0);
  }

  function count() external view returns (uint256) {
    return keys.length;
  }

  function isValidator(bytes32 pubkey) external view returns (bool) {
    return entries[pubkey].place != 0;
  }

  /// Zeros for a key that is no validator.
  function validator(bytes32 pubkey) external view returns (uint64 power, address reward) {
    return (entries[pubkey].power, entries[pubkey].reward);
  }

  function validators()
    external
    view
    returns (bytes32[] memory pubkeys, uint64[] memory powers, address[] memory rewards)
  {
    pubkeys = keys;
    powers = new uint64[](pubkeys.length);
    rewards = new address[](pubkeys.length);
    for (uint256 i = 0; i < pubkeys.length; i++) {
      powers[i] = entries[pubkeys[i]].power;
      rewards[i] = entries[pubkeys[i]].reward;
    }
  }

  function known(bytes32 pubkey) private view returns (Validator memory found) {
    found = entries[pubkey];
    if (found.place == 0) revert NotAValidator(pubkey);
  }

  function changeTotal(uint64 before, uint64 power) private {
    if (power == 0) revert InvalidPower();
    uint256 total = totalPower - before + power;
    if (total > maxTotalPower) revert TotalPowerTooHigh();
    totalPower = total;
  }
}
