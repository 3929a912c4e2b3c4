/** Instructions that leave mischief to chance: mostly pushes and stack work, then anything. */
export const randomProgram = (random: (limit: number) => number): Uint8Array => {
  const bytes: number[] = []
  const length = 20 + random(200)
  while (bytes.length < length) {
    const choice = random(10)
    if (choice < 4) bytes.push(0x60, random(4) === 0 ? random(256) : random(8))
    else if (choice < 5) bytes.push(0x80 + random(6))
    else if (choice < 6) bytes.push(0x90 + random(4))
    else if (choice < 7) bytes.push(0x5b)
    else if (choice < 8)
      bytes.push(
        [0x01, 0x02, 0x03, 0x10, 0x11, 0x14, 0x15, 0x16, 0x1b, 0x1c, 0x50, 0x51, 0x52][random(13)] ?? 0,
      )
    else if (choice < 9)
      bytes.push(
        [0x54, 0x55, 0x5a, 0x5c, 0x5d, 0x56, 0x57, 0x20, 0x31, 0x3d, 0xa1, 0xf1, 0xfa][random(13)] ?? 0,
      )
    else bytes.push(random(256))
  }
  return Uint8Array.from(bytes)
}
