import { buildModule } from '@nomicfoundation/hardhat-ignition/modules'

/** A contract, and a call that depends on it. */
export default buildModule('SafeModule', (m) => {
  const safe = m.contract('Safe', [m.getParameter('opensAt', 4_000_000_000n)], { value: 5n })
  m.call(safe, 'deposit', [], { value: 7n })
  return { safe }
})
