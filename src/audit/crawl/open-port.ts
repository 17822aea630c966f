/** Whether a TCP connection to a host can be opened. Never throws; gives up after `timeoutMs`. */
export async function opensPort(hostname: string, port: number, timeoutMs = 5_000): Promise<boolean> {
  // Loaded here, since it exists inside of the Workers runtime only.
  const { connect } = await import("cloudflare:sockets");
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    const socket = connect({ hostname, port });
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), timeoutMs);
    });
    const opened = await Promise.race([socket.opened.then(() => true), late]);
    socket.close().catch(() => {});
    return opened;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
