"""Deploys, sends and signs with the accounts of a node, as a suite written for anvil or ganache does."""

import json
import sys

from eth_account import Account
from eth_account.messages import encode_defunct
from web3 import Web3
from web3.exceptions import ContractCustomError, Web3Exception

given = json.load(sys.stdin)
w3 = Web3(Web3.HTTPProvider(given["url"]))
alice, bob = w3.eth.accounts[:2]
w3.eth.default_account = alice
supply = int(given["supply"])

contract = w3.eth.contract(abi=given["abi"], bytecode=given["bytecode"])
receipt = w3.eth.get_transaction_receipt(contract.constructor(supply).transact())
token = w3.eth.contract(address=receipt["contractAddress"], abi=given["abi"])
assert token.functions.balanceOf(alice).call() == supply

receipt = w3.eth.get_transaction_receipt(token.functions.transfer(bob, 5).transact())
assert receipt["status"] == 1 and token.functions.balanceOf(bob).call() == 5
try:
    token.functions.transfer(bob, supply).transact()
    raise AssertionError("a transfer of too much was sent")
except (ContractCustomError, Web3Exception) as error:
    assert "revert" in str(error).lower() or "0x" in str(error), error

# A gap and a fee that is too low are answered at once.
nonce = w3.eth.get_transaction_count(bob)
late = w3.eth.send_transaction({"from": bob, "to": alice, "value": 1, "nonce": nonce + 2})
cheap = w3.eth.send_transaction(
    {"from": bob, "to": alice, "value": 1, "maxFeePerGas": 1, "maxPriorityFeePerGas": 1, "gas": 21000}
)
assert w3.eth.get_transaction(late)["blockNumber"] is None
assert w3.eth.get_transaction(cheap)["blockNumber"] is None
w3.eth.replace_transaction(
    cheap,
    {
        "from": bob,
        "to": alice,
        "value": 1,
        "nonce": nonce,
        "gas": 21000,
        "maxFeePerGas": 10**10,
        "maxPriorityFeePerGas": 10**9,
    },
)
assert w3.eth.get_transaction_count(bob) == nonce + 1

signature = w3.eth.sign(alice, text="hello")
assert Account.recover_message(encode_defunct(text="hello"), signature=signature) == alice
same = w3.provider.make_request("personal_sign", ["0x" + b"hello".hex(), alice])["result"]
assert same == signature.to_0x_hex()
assert w3.client_version.startswith("anvil-perihelion/")
print("done")
