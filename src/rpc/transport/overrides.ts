/** Settings that replace the configured ones for a transport that is started at run time. */
export interface TransportOverrides {
  readonly host?: string | undefined
  readonly port?: number | undefined
  readonly cors?: readonly string[] | undefined
  readonly apis?: readonly string[] | undefined
  readonly vhosts?: readonly string[] | undefined
}
