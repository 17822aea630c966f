/** How messages name an address: "/path?query" on the audited site, the whole address elsewhere; never endless. */
export function shownOn(siteOrigin: string): (url: string) => string {
  return (url) => (url.startsWith(`${siteOrigin}/`) ? url.slice(siteOrigin.length) : url).slice(0, 200);
}
