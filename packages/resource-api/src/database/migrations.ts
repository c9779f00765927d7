/** The SQL files, from where the compiled file lies: dist/src/database. */
export const MIGRATIONS = new URL('../../../migrations/', import.meta.url);
