import http from "node:http";
import https from "node:https";
import net from "node:net";
import tls from "node:tls";
import { MeteredSocket } from "./metered-socket.ts";

/**
 * Creates an agent for libraries that send their requests themselves. Each request has its own connection, which ends
 * when the server has sent more than `maxBytes` or after `milliseconds`.
 */
export function meteredAgent(
  protocol: string,
  { maxBytes, milliseconds }: { maxBytes: number; milliseconds: number },
): http.Agent {
  const isTls = protocol === "https:";
  const agent = new (isTls ? https : http).Agent({ keepAlive: false });
  agent.createConnection = (options) => {
    const socket = isTls
      ? tls.connect(options as tls.ConnectionOptions)
      : net.connect(options as net.TcpNetConnectOpts);
    return new MeteredSocket(socket, { maxBytes, signal: AbortSignal.timeout(milliseconds) });
  };
  return agent;
}
