/** Made by `desk/texts.ts`: the texts of the service's failures, by their codes. */
declare module 'virtual:failures' {
  const texts: Readonly<Record<string, string>>
  export default texts
}
