// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

interface Administered {
  function admin() external view returns (address);
}

/// When the rules of a chain change. A chain with validators has this code from its first block on, beside the contract
/// of validators, at an address and with a storage that docs/validators.md describes; the node reads the storage itself
/// and calls nothing here. A fork is in force in every block whose time is not before its own.
///
/// Only what is ahead can change, so that the list of now tells the rules of every block that there is.
contract ForkSchedule {
  struct Fork {
    uint64 time;
    /// Its place in `names`, counted from one; zero for a fork that is not scheduled.
    uint32 place;
  }

  Administered private constant validators = Administered(0x5045524948454c494f4e00000000000000000001);
  uint256 private constant maxForks = 64;

  // The storage: slots 0 to 2, in this order. The node reads it, so the order is for ever.
  bytes32[] private names;
  mapping(bytes32 => Fork) private forks;
  /// The first version of the program that knows the fork.
  mapping(bytes32 => bytes32) private versions;

  event ForkScheduled(string name, uint64 time, string version);
  event ForkCancelled(string name);

  error NotAllowed(address caller);
  error InvalidText(string text);
  error NotScheduled(string name);
  error NotAhead(uint64 time);
  error AlreadyActive(string name);
  error OutOfOrder(string name);
  error NotTheLast(string name);
  error TooManyForks();

  /// The admin of the contract of validators, whoever that is now.
  modifier onlyAdmin() {
    if (msg.sender != validators.admin()) revert NotAllowed(msg.sender);
    _;
  }

  /// Schedules a fork after all that there are, or moves one that is ahead to another time between its neighbours.
  function schedule(string calldata name, uint64 time, string calldata version) external onlyAdmin {
    bytes32 key = pack(name);
    if (key == 0) revert InvalidText(name);
    if (time <= block.timestamp) revert NotAhead(time);
    uint256 place = forks[key].place;
    if (place == 0) {
      if (names.length == maxForks) revert TooManyForks();
      names.push(key);
      place = names.length;
    } else if (forks[key].time <= block.timestamp) revert AlreadyActive(name);
    if (place > 1 && forks[names[place - 2]].time > time) revert OutOfOrder(name);
    if (place < names.length && forks[names[place]].time < time) revert OutOfOrder(name);
    forks[key] = Fork({time: time, place: uint32(place)});
    versions[key] = pack(version);
    emit ForkScheduled(name, time, version);
  }

  /// Takes back the last fork, as long as it is ahead.
  function cancel(string calldata name) external onlyAdmin {
    bytes32 key = pack(name);
    Fork memory found = forks[key];
    if (found.place == 0) revert NotScheduled(name);
    if (found.time <= block.timestamp) revert AlreadyActive(name);
    if (found.place != names.length) revert NotTheLast(name);
    names.pop();
    delete forks[key];
    delete versions[key];
    emit ForkCancelled(name);
  }

  function count() external view returns (uint256) {
    return names.length;
  }

  /// In their order; from zero on.
  function fork(uint256 index) external view returns (string memory name, uint64 time, string memory version) {
    bytes32 key = names[index];
    return (unpack(key), forks[key].time, unpack(versions[key]));
  }

  /// Zero for a fork that is not scheduled, and for one that the chain began with.
  function timeOf(string calldata name) external view returns (uint64) {
    return forks[pack(name)].time;
  }

  /// Letters, digits, dots and dashes, at most 31.
  function pack(string calldata text) private pure returns (bytes32) {
    bytes calldata letters = bytes(text);
    if (letters.length > 31) revert InvalidText(text);
    for (uint256 i = 0; i < letters.length; i++) {
      bytes1 letter = letters[i];
      bool isLetter = (letter >= "a" && letter <= "z") || (letter >= "A" && letter <= "Z");
      bool isOther = (letter >= "0" && letter <= "9") || letter == "." || letter == "-";
      if (!isLetter && !isOther) revert InvalidText(text);
    }
    return bytes32(letters);
  }

  function unpack(bytes32 packed) private pure returns (string memory) {
    uint256 length = 0;
    while (length < 32 && packed[length] != 0) length++;
    bytes memory letters = new bytes(length);
    for (uint256 i = 0; i < length; i++) letters[i] = packed[i];
    return string(letters);
  }
}
