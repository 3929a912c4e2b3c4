import type { AbiItem } from './item.ts'
import { parseSignature } from './parse.ts'

/**
 * The functions, events and errors that contracts of the ERCs and of OpenZeppelin's library have in common. A function
 * with results and without an exclamation mark only reads.
 */
const functions = `
name() → (string)
symbol() → (string)
decimals() → (uint8)
totalSupply() → (uint256)
balanceOf(address account) → (uint256)
allowance(address owner,address spender) → (uint256)
transfer(address to,uint256 amount) ! → (bool)
approve(address spender,uint256 amount) ! → (bool)
transferFrom(address from,address to,uint256 amount) ! → (bool)
increaseAllowance(address spender,uint256 addedValue) ! → (bool)
decreaseAllowance(address spender,uint256 subtractedValue) ! → (bool)
mint(address to,uint256 amount) !
burn(uint256 amount) !
burnFrom(address account,uint256 amount) !
permit(address owner,address spender,uint256 value,uint256 deadline,uint8 v,bytes32 r,bytes32 s) !
nonces(address owner) → (uint256)
DOMAIN_SEPARATOR() → (bytes32)
eip712Domain() → (bytes1 fields,string name,string version,uint256 chainId,address verifyingContract,bytes32 salt,uint256[] extensions)
transferAndCall(address to,uint256 value) ! → (bool)
transferAndCall(address to,uint256 value,bytes data) ! → (bool)
approveAndCall(address spender,uint256 value) ! → (bool)
flashLoan(address receiver,address token,uint256 amount,bytes data) ! → (bool)
maxFlashLoan(address token) → (uint256)
supportsInterface(bytes4 interfaceId) → (bool)
ownerOf(uint256 tokenId) → (address)
tokenURI(uint256 tokenId) → (string)
getApproved(uint256 tokenId) → (address)
isApprovedForAll(address owner,address operator) → (bool)
setApprovalForAll(address operator,bool approved) !
safeTransferFrom(address from,address to,uint256 tokenId) !
safeTransferFrom(address from,address to,uint256 tokenId,bytes data) !
safeMint(address to,uint256 tokenId) !
tokenByIndex(uint256 index) → (uint256)
tokenOfOwnerByIndex(address owner,uint256 index) → (uint256)
royaltyInfo(uint256 tokenId,uint256 salePrice) → (address receiver,uint256 royaltyAmount)
uri(uint256 id) → (string)
balanceOf(address account,uint256 id) → (uint256)
balanceOfBatch(address[] accounts,uint256[] ids) → (uint256[])
safeTransferFrom(address from,address to,uint256 id,uint256 value,bytes data) !
safeBatchTransferFrom(address from,address to,uint256[] ids,uint256[] values,bytes data) !
onERC721Received(address operator,address from,uint256 tokenId,bytes data) ! → (bytes4)
onERC1155Received(address operator,address from,uint256 id,uint256 value,bytes data) ! → (bytes4)
onERC1155BatchReceived(address operator,address from,uint256[] ids,uint256[] values,bytes data) ! → (bytes4)
owner() → (address)
pendingOwner() → (address)
transferOwnership(address newOwner) !
renounceOwnership() !
acceptOwnership() !
hasRole(bytes32 role,address account) → (bool)
getRoleAdmin(bytes32 role) → (bytes32)
grantRole(bytes32 role,address account) !
revokeRole(bytes32 role,address account) !
renounceRole(bytes32 role,address callerConfirmation) !
DEFAULT_ADMIN_ROLE() → (bytes32)
MINTER_ROLE() → (bytes32)
PAUSER_ROLE() → (bytes32)
paused() → (bool)
pause() !
unpause() !
asset() → (address)
totalAssets() → (uint256)
convertToShares(uint256 assets) → (uint256)
convertToAssets(uint256 shares) → (uint256)
deposit(uint256 assets,address receiver) ! → (uint256 shares)
mint(uint256 shares,address receiver) ! → (uint256 assets)
withdraw(uint256 assets,address receiver,address owner) ! → (uint256 shares)
redeem(uint256 shares,address receiver,address owner) ! → (uint256 assets)
deposit() !
withdraw(uint256 amount) !
withdraw() !
delegate(address delegatee) !
delegates(address account) → (address)
getVotes(address account) → (uint256)
getPastVotes(address account,uint256 timepoint) → (uint256)
propose(address[] targets,uint256[] values,bytes[] calldatas,string description) ! → (uint256 proposalId)
queue(address[] targets,uint256[] values,bytes[] calldatas,bytes32 descriptionHash) ! → (uint256 proposalId)
execute(address[] targets,uint256[] values,bytes[] calldatas,bytes32 descriptionHash) ! → (uint256 proposalId)
castVote(uint256 proposalId,uint8 support) ! → (uint256)
castVoteWithReason(uint256 proposalId,uint8 support,string reason) ! → (uint256)
schedule(address target,uint256 value,bytes data,bytes32 predecessor,bytes32 salt,uint256 delay) !
execute(address target,uint256 value,bytes payload,bytes32 predecessor,bytes32 salt) !
initialize() !
initialize(address initialOwner) !
upgradeTo(address newImplementation) !
upgradeToAndCall(address newImplementation,bytes data) !
upgradeAndCall(address proxy,address implementation,bytes data) !
proxiableUUID() → (bytes32)
implementation() → (address)
UPGRADE_INTERFACE_VERSION() → (string)
multicall(bytes[] data) ! → (bytes[] results)
aggregate3((address target,bool allowFailure,bytes callData)[] calls) ! → ((bool success,bytes returnData)[])
isValidSignature(bytes32 hash,bytes signature) → (bytes4)
handleOps((address sender,uint256 nonce,bytes initCode,bytes callData,bytes32 accountGasLimits,uint256 preVerificationGas,bytes32 gasFees,bytes paymasterAndData,bytes signature)[] ops,address beneficiary) !
release() !
release(address token) !
log(string p0)
log(uint256 p0)
log(string p0,uint256 p1)
log(string p0,string p1)
log(string p0,address p1)
log(address p0)
log(bool p0)
`

const events = `
Transfer(address indexed from,address indexed to,uint256 value)
Approval(address indexed owner,address indexed spender,uint256 value)
ApprovalForAll(address indexed owner,address indexed operator,bool approved)
TransferSingle(address indexed operator,address indexed from,address indexed to,uint256 id,uint256 value)
TransferBatch(address indexed operator,address indexed from,address indexed to,uint256[] ids,uint256[] values)
URI(string value,uint256 indexed id)
ConsecutiveTransfer(uint256 indexed fromTokenId,uint256 toTokenId,address indexed fromAddress,address indexed toAddress)
MetadataUpdate(uint256 tokenId)
BatchMetadataUpdate(uint256 fromTokenId,uint256 toTokenId)
OwnershipTransferred(address indexed previousOwner,address indexed newOwner)
OwnershipTransferStarted(address indexed previousOwner,address indexed newOwner)
RoleGranted(bytes32 indexed role,address indexed account,address indexed sender)
RoleRevoked(bytes32 indexed role,address indexed account,address indexed sender)
RoleAdminChanged(bytes32 indexed role,bytes32 indexed previousAdminRole,bytes32 indexed newAdminRole)
Paused(address account)
Unpaused(address account)
Initialized(uint64 version)
Initialized(uint8 version)
Upgraded(address indexed implementation)
AdminChanged(address previousAdmin,address newAdmin)
BeaconUpgraded(address indexed beacon)
EIP712DomainChanged()
Deposit(address indexed sender,address indexed owner,uint256 assets,uint256 shares)
Withdraw(address indexed sender,address indexed receiver,address indexed owner,uint256 assets,uint256 shares)
Deposit(address indexed account,uint256 amount)
Withdrawal(address indexed account,uint256 amount)
DelegateChanged(address indexed delegator,address indexed fromDelegate,address indexed toDelegate)
DelegateVotesChanged(address indexed delegate,uint256 previousVotes,uint256 newVotes)
ProposalCreated(uint256 proposalId,address proposer,address[] targets,uint256[] values,string[] signatures,bytes[] calldatas,uint256 voteStart,uint256 voteEnd,string description)
ProposalQueued(uint256 proposalId,uint256 etaSeconds)
ProposalExecuted(uint256 proposalId)
ProposalCanceled(uint256 proposalId)
VoteCast(address indexed voter,uint256 proposalId,uint8 support,uint256 weight,string reason)
CallScheduled(bytes32 indexed id,uint256 indexed index,address target,uint256 value,bytes data,bytes32 predecessor,uint256 delay)
CallExecuted(bytes32 indexed id,uint256 indexed index,address target,uint256 value,bytes data)
CallSalt(bytes32 indexed id,bytes32 salt)
Cancelled(bytes32 indexed id)
MinDelayChange(uint256 oldDuration,uint256 newDuration)
PaymentReceived(address from,uint256 amount)
PaymentReleased(address to,uint256 amount)
EtherReleased(uint256 amount)
ERC20Released(address indexed token,uint256 amount)
UserOperationEvent(bytes32 indexed userOpHash,address indexed sender,address indexed paymaster,uint256 nonce,bool success,uint256 actualGasCost,uint256 actualGasUsed)
`

const errors = `
Error(string reason)
Panic(uint256 code)
ERC20InsufficientBalance(address sender,uint256 balance,uint256 needed)
ERC20InvalidSender(address sender)
ERC20InvalidReceiver(address receiver)
ERC20InsufficientAllowance(address spender,uint256 allowance,uint256 needed)
ERC20InvalidApprover(address approver)
ERC20InvalidSpender(address spender)
ERC20ExceededCap(uint256 increasedSupply,uint256 cap)
ERC2612ExpiredSignature(uint256 deadline)
ERC2612InvalidSigner(address signer,address owner)
ERC721InvalidOwner(address owner)
ERC721NonexistentToken(uint256 tokenId)
ERC721IncorrectOwner(address sender,uint256 tokenId,address owner)
ERC721InvalidSender(address sender)
ERC721InvalidReceiver(address receiver)
ERC721InsufficientApproval(address operator,uint256 tokenId)
ERC721InvalidApprover(address approver)
ERC721InvalidOperator(address operator)
ERC721OutOfBoundsIndex(address owner,uint256 index)
ERC1155InsufficientBalance(address sender,uint256 balance,uint256 needed,uint256 tokenId)
ERC1155InvalidSender(address sender)
ERC1155InvalidReceiver(address receiver)
ERC1155MissingApprovalForAll(address operator,address owner)
ERC1155InvalidApprover(address approver)
ERC1155InvalidOperator(address operator)
ERC1155InvalidArrayLength(uint256 idsLength,uint256 valuesLength)
ERC4626ExceededMaxDeposit(address receiver,uint256 assets,uint256 max)
ERC4626ExceededMaxMint(address receiver,uint256 shares,uint256 max)
ERC4626ExceededMaxWithdraw(address owner,uint256 assets,uint256 max)
ERC4626ExceededMaxRedeem(address owner,uint256 shares,uint256 max)
OwnableUnauthorizedAccount(address account)
OwnableInvalidOwner(address owner)
AccessControlUnauthorizedAccount(address account,bytes32 neededRole)
AccessControlBadConfirmation()
AccessControlEnforcedDefaultAdminRules()
EnforcedPause()
ExpectedPause()
ReentrancyGuardReentrantCall()
InvalidInitialization()
NotInitializing()
ERC1967InvalidImplementation(address implementation)
ERC1967InvalidAdmin(address admin)
ERC1967NonPayable()
UUPSUnauthorizedCallContext()
UUPSUnsupportedProxiableUUID(bytes32 slot)
ProxyDeniedAdminAccess()
BeaconInvalidImplementation(address implementation)
FailedCall()
FailedDeployment()
InsufficientBalance(uint256 balance,uint256 needed)
AddressEmptyCode(address target)
SafeERC20FailedOperation(address token)
SafeERC20FailedDecreaseAllowance(address spender,uint256 currentAllowance,uint256 requestedDecrease)
SafeCastOverflowedUintDowncast(uint8 bits,uint256 value)
SafeCastOverflowedIntToUint(int256 value)
StringsInsufficientHexLength(uint256 value,uint256 length)
ECDSAInvalidSignature()
ECDSAInvalidSignatureLength(uint256 length)
ECDSAInvalidSignatureS(bytes32 s)
InvalidAccountNonce(address account,uint256 currentNonce)
InvalidShortString()
StringTooLong(string str)
MathOverflowedMulDiv()
CheckpointUnorderedInsertion()
VotesExpiredSignature(uint256 expiry)
ERC5805FutureLookup(uint256 timepoint,uint48 clock)
ERC6372InconsistentClock()
GovernorOnlyExecutor(address account)
GovernorNonexistentProposal(uint256 proposalId)
GovernorUnexpectedProposalState(uint256 proposalId,uint8 current,bytes32 expectedStates)
GovernorInsufficientProposerVotes(address proposer,uint256 votes,uint256 threshold)
GovernorAlreadyCastVote(address voter)
TimelockInsufficientDelay(uint256 delay,uint256 minDelay)
TimelockUnexpectedOperationState(bytes32 operationId,bytes32 expectedStates)
TimelockUnauthorizedCaller(address caller)
FailedOp(uint256 opIndex,string reason)
`

const parseLines = (kind: AbiItem['kind'], text: string): AbiItem[] =>
  text
    .trim()
    .split('\n')
    .map((line) => parseSignature(kind, line))
    .filter((item) => item !== undefined)

let items: readonly AbiItem[] | undefined

/** The common items, taken apart when they are first needed. */
export const knownItems = (): readonly AbiItem[] => {
  items ??= [
    ...parseLines('function', functions),
    ...parseLines('event', events),
    ...parseLines('error', errors),
  ]
  return items
}

/** How many lines the table has, for the test that every line can be read. */
export const knownLines = [functions, events, errors].join('').trim().split(/\n+/).length
