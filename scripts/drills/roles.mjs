// The databases and roles of deploy/roles.sql: services and tools connect as the service roles, and
// the owners migrate.
import { join } from 'node:path';
import { runScriptAt } from '../../packages/testing/dist/src/servers.js';

const SCRIPT = join(import.meta.dirname, '..', '..', 'deploy', 'roles.sql');

export const DATABASES = ['cls_auth', 'cls_api'];
export const ownerOf = (name) => `${name}_owner`;
export const serviceOf = (name) => `${name}_service`;

/** Makes the databases and roles, as an administrator. */
export const makeRoles = (port) => runScriptAt(port, SCRIPT);
