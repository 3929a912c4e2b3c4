declare module '#wasm/machine' {
  const text: string
  export default text
}
declare module '#wasm/machineTraced' {
  const text: string
  export default text
}
declare module '#wasm/precompiles' {
  const text: string
  export default text
}
declare module '#wasm/mcl' {
  const text: string
  export default text
}
