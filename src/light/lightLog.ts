/** Where the light client tells what its operator should know: the program's log, or the console of a page. */
export interface LightLog {
  info(members: object, message: string): void
  warn(members: object, message: string): void
  error(members: object, message: string): void
}
