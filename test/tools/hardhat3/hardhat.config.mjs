import { createRequire } from 'node:module'
import toolbox from '@nomicfoundation/hardhat-toolbox-mocha-ethers'
import { defineConfig } from 'hardhat/config'

const require = createRequire(import.meta.url)

export default defineConfig({
  plugins: [toolbox],
  // The compiler of npm: none is downloaded.
  solidity: { version: require('solc/package.json').version, path: require.resolve('solc/soljson.js') },
  networks: {
    localhost: { type: 'http', chainType: 'l1', url: process.env.PERIHELION_URL },
    perihelion: { type: 'http', chainType: 'l1', url: process.env.PERIHELION_URL },
  },
})
