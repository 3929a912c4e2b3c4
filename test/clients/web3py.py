"""Deploys, sends every type of transaction and reads everything back with web3.py.

Reads one JSON object from its input: httpUrl, wsUrl, chainId, privateKey, takesBlobs, token, blob, supply, balancesSlot.
"""

import asyncio
import json
import sys
import time

from eth_account import Account
from web3 import AsyncWeb3, Web3
from web3.exceptions import ContractCustomError, TransactionNotFound, Web3RPCError
from web3.providers.persistent import WebSocketProvider

given = json.load(sys.stdin)
token = given["token"]
w3 = Web3(Web3.HTTPProvider(given["httpUrl"]))
eth = w3.eth
owner = Account.from_key(given["privateKey"])
friend = Account.create()
receipts = []


def fields(**more):
    """What every transaction has; its fees and gas where it does not say otherwise."""
    request = {
        "from": owner.address,
        "chainId": given["chainId"],
        "nonce": eth.get_transaction_count(owner.address),
        "value": 0,
        **more,
    }
    if "gasPrice" not in request:
        tip = eth.max_priority_fee
        base = eth.get_block("latest")["baseFeePerGas"]
        request |= {"maxPriorityFeePerGas": tip, "maxFeePerGas": tip + 2 * base}
    if "gas" not in request:
        request["gas"] = eth.estimate_gas(request)
    return request


def send(request, **signing):
    signed = owner.sign_transaction({k: v for k, v in request.items() if k != "from"}, **signing)
    return eth.send_raw_transaction(signed.raw_transaction)


def settle(sent, kind):
    receipt = eth.wait_for_transaction_receipt(sent, poll_latency=0.05)
    assert (receipt["status"], receipt["type"], receipt["from"]) == (1, kind, owner.address), receipt
    receipts.append(receipt)
    return receipt


def cost(receipt):
    blobs = int(receipt.get("blobGasUsed", 0)) * int(receipt.get("blobGasPrice", 0))
    return receipt["gasUsed"] * receipt["effectiveGasPrice"] + blobs


assert eth.chain_id == given["chainId"]
balance_before = eth.get_balance(owner.address)
nonce_before = eth.get_transaction_count(owner.address)
supply = int(given["supply"])

# The contract.
factory = eth.contract(abi=token["abi"], bytecode=token["bytecode"])
deployment = settle(send(fields(data=factory.constructor(supply).data_in_transaction)), 2)
address = deployment["contractAddress"]
contract = eth.contract(address=address, abi=token["abi"])
assert eth.get_code(address).to_0x_hex() == token["runtime"]
functions = contract.functions
facts = [functions.name(), functions.symbol(), functions.decimals(), functions.totalSupply()]
assert [fact.call() for fact in facts] == ["Perihelion Test", "PTEST", 18, supply]

# Every type.
price = eth.gas_price
settle(send(fields(gasPrice=price, to=friend.address, value=7)), 0)
data = contract.encode_abi("transfer", [friend.address, 1])
listed = eth.create_access_list({"from": owner.address, "to": address, "data": data})["accessList"]
settle(send(fields(type=1, gasPrice=price, to=address, data=data, accessList=listed)), 1)
data = contract.encode_abi("transfer", [friend.address, 10])
dynamic = fields(to=address, data=data)
assert settle(send(dynamic), 2)["gasUsed"] <= dynamic["gas"]

authority = Account.create()
authorization = authority.sign_authorization({"chainId": given["chainId"], "address": address, "nonce": 0})
data = contract.encode_abi("totalSupply", [])
settle(send(fields(to=authority.address, data=data, gas=200_000, authorizationList=[authorization])), 4)
assert eth.get_code(authority.address).hex() == "ef0100" + address[2:].lower()
assert eth.get_transaction_count(authority.address) == 1

request = fields(
    type=3,
    to=friend.address,
    gas=21_000,
    maxFeePerBlobGas=10**9,
    blobVersionedHashes=[given["blob"]["versionedHash"]],
)
blob = bytes.fromhex(given["blob"]["blob"][2:])
if given["takesBlobs"]:
    receipt = settle(send(request, blobs=[blob]), 3)
    assert receipt["blobGasUsed"] == 131_072
    hashes = eth.get_transaction(receipt["transactionHash"])["blobVersionedHashes"]
    assert [hash.to_0x_hex() for hash in hashes] == [given["blob"]["versionedHash"]]
else:
    try:
        send(request, blobs=[blob])
        raise AssertionError("a blob was taken")
    except Web3RPCError:
        pass

# Confirmations: a transaction after it makes sure that there is a block after it.
first = send(fields(to=address, data=contract.encode_abi("approve", [friend.address, 5])))
approval = settle(first, 2)
settle(send(fields(to=friend.address, value=3)), 2)
while eth.block_number < approval["blockNumber"] + 1:
    time.sleep(0.05)

# Events.
seen = []
for receipt in receipts:
    for log in receipt["logs"]:
        kinds = [contract.events.Transfer(), contract.events.Approval()]
        [kind] = [kind for kind in kinds if log["topics"][0] == kind.topic or log["topics"][0].to_0x_hex() == kind.topic]
        event = kind.process_log(log)
        seen.append((event["event"], event["args"]["value"]))
assert seen == [("Transfer", supply), ("Transfer", 1), ("Transfer", 10), ("Approval", 5)], seen

# What there is now.
head = eth.get_block("latest")
at = head["number"]
assert eth.get_balance(owner.address, at) == balance_before - sum(map(cost, receipts)) - 10
assert eth.get_balance(friend.address, at) == 10
assert eth.get_transaction_count(owner.address, at) == nonce_before + len(receipts)
assert functions.balanceOf(friend.address).call() == 11
assert functions.allowance(owner.address, friend.address).call() == 5
slot = Web3.solidity_keccak(
    ["bytes32", "uint256"], [bytes.fromhex(friend.address[2:]).rjust(32, b"\0"), given["balancesSlot"]]
)
assert int.from_bytes(eth.get_storage_at(address, int.from_bytes(slot), at)) == 11
proof = eth.get_proof(address, [int.from_bytes(slot)], at)
assert int.from_bytes(proof["storageProof"][0]["value"]) == 11
assert Web3.keccak(proof["accountProof"][0]) == head["stateRoot"]

# Blocks and transactions agree, by each way to them.
for receipt in receipts:
    transaction = eth.get_transaction(receipt["transactionHash"])
    index = receipt["transactionIndex"]
    assert eth.get_transaction_by_block(receipt["blockHash"], index) == transaction
    assert eth.get_transaction_by_block(receipt["blockNumber"], index) == transaction
    assert eth.get_block(receipt["blockHash"], True)["transactions"][index] == transaction
try:
    eth.get_transaction(b"\x01" * 32)
    raise AssertionError("a transaction that nobody sent was found")
except TransactionNotFound:
    pass

# Fees.
history = eth.fee_history(4, "latest", [10, 90])
assert (len(history["baseFeePerGas"]), len(history["reward"])) == (5, 4)
assert history["baseFeePerGas"][3] == head["baseFeePerGas"]

# Errors say why.
try:
    functions.transfer(friend.address, 12).call({"from": friend.address})
    raise AssertionError("a transfer of more than there is went through")
except ContractCustomError as error:
    selector = Web3.keccak(text="BalanceTooLow(uint256,uint256)")[:4]
    assert error.data == "0x" + (selector + (11).to_bytes(32) + (12).to_bytes(32)).hex(), error.data


# The other transport gives the same.
async def read_by_socket():
    async with AsyncWeb3(WebSocketProvider(given["wsUrl"])) as socket:
        return await socket.eth.get_block(at)


assert asyncio.run(read_by_socket())["hash"] == head["hash"]
print("ok")
