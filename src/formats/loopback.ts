/** Whether a name or address, as in a URL, is this machine's own. */
export function isLoopback(host: string): boolean {
  return /^(localhost|\[?::1\]?|127\.[\d.]+)$/.test(host)
}

/** Whether what is sent there can't be read on the way: https, or http on this machine. */
export function isConfidential({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}
