#!/usr/bin/env node
// The compiler of npm in place of the program `solc`, as far as forge calls it.
const { readFileSync } = require('node:fs')
const solc = require(process.env.SOLC_MODULE)

if (process.argv.includes('--version')) {
  const version = solc.version().replace('.Emscripten.clang', '.Linux.g++')
  process.stdout.write(`solc, the solidity compiler commandline interface\nVersion: ${version}\n`)
} else {
  process.stdout.write(solc.compile(readFileSync(0, 'utf8')))
}
