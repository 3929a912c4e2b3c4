#!/bin/sh
# Writes the homes of four validators to a folder, once. `perihelion testnet` makes them for one machine; here each of them
# is a host of its own, validator0 to validator3, with CometBFT's usual port.
set -eu
home=$1
if [ -e "$home/ready" ]; then exit 0; fi
perihelion testnet --validators 4 --home "$home/nodes" --out-only
for i in 0 1 2 3; do
  own="$home/nodes/node$i/engine/config/config.toml"
  port=$(sed -n '/^\[p2p\]/,/^\[mempool\]/s/^laddr = "tcp:.*:\([0-9]*\)"$/\1/p' "$own")
  sed -i '/^\[p2p\]/,/^\[mempool\]/s|^laddr = .*|laddr = "tcp://0.0.0.0:26656"|' "$own"
  for j in 0 1 2 3; do
    sed -i "s/@127\.0\.0\.1:$port/@validator$i:26656/" "$home/nodes/node$j/engine/config/config.toml"
  done
done
touch "$home/ready"
