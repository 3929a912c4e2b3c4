import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { compileToken, supply } from '../clients/token.ts'
import { startTestNode } from '../support/node.ts'

/** An interpreter with the package web3; `PYTHON` names another one. */
const installed = '/opt/peers/web3py/bin/python'
const python = process.env.PYTHON ?? (existsSync(installed) ? installed : 'python3')
const script = fileURLToPath(new URL('web3py.py', import.meta.url))

test('web3.py deploys, sends and signs with the accounts of the node', async (ctx) => {
  if (spawnSync(python, ['-c', 'import web3']).status !== 0)
    ctx.skip(`${python} with the package web3 is not installed (PYTHON)`)
  const node = await startTestNode()
  try {
    const { abi, bytecode } = compileToken()
    const running = promisify(execFile)(python, [script], { timeout: 170_000 })
    running.child.stdin?.end(JSON.stringify({ url: node.http, abi, bytecode, supply: supply.toString() }))
    const { stdout } = await running
    expect(stdout.trim()).toBe('done')
  } finally {
    await node.close()
  }
})
