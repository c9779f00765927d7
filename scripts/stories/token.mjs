// A service account gets a token.
import {
  basic,
  startTestAuthServer,
} from '../../packages/auth-server/dist/test/support/auth-server.js';
import { pglite } from '../../packages/testing/dist/src/engines.js';

export async function prepare() {
  const server = await startTestAuthServer(pglite);
  return {
    async run() {
      const { id, secret } = server.client;
      const response = await server.post('grant_type=client_credentials', basic(id, secret));
      if (!response.ok) throw new Error(await response.text());
      await response.arrayBuffer();
    },
    stop: () => server.stop(),
  };
}
