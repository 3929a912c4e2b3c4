require('@nomicfoundation/hardhat-toolbox')
const { subtask } = require('hardhat/config')
const { TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD } = require('hardhat/builtin-tasks/task-names')

/** The compiler of npm: none is downloaded. */
subtask(TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD, async ({ solcVersion }) => {
  const { version } = require('solc/package.json')
  if (solcVersion !== version) throw new Error(`wanted solc ${solcVersion}, there is ${version}`)
  const compilerPath = require.resolve('solc/soljson.js')
  return { compilerPath, isSolcJs: true, version, longVersion: version }
})

module.exports = {
  solidity: require('solc/package.json').version,
  // Under the name localhost Hardhat gives every transaction gas where hardhat_metadata answers, and expects of the node that
  // it answers a send that fails in its block with an error.
  networks: {
    perihelion: { url: process.env.PERIHELION_URL },
    localhost: { url: process.env.PERIHELION_URL },
  },
  paths: { root: process.env.PERIHELION_PROJECT },
}
