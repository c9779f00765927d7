import { createReadStream } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { CHUNK_BYTES } from '../import/file/bytes-source.ts';
import { type StatementSource, UnreadableFile } from '../import/file/table.ts';

const REASONS: Readonly<Record<string, readonly [code: string, sentence: string]>> = {
  ENOENT: ['file_missing', 'there is no such file'],
  ENOTDIR: ['file_missing', 'there is no such file: a part of the path is no folder'],
  EACCES: ['file_not_readable', 'you have no permission to read this file'],
  EPERM: ['file_not_readable', 'you have no permission to read this file'],
  ENAMETOOLONG: ['file_missing', 'the path is too long'],
};

/**
 * A file of the file system.
 *
 * @throws {UnreadableFile} when it is missing, is no file, or cannot be read.
 */
export async function openStatementFile(path: string): Promise<StatementSource> {
  const { size } = await checkFile(path).catch((error) => {
    throw inWords(path, error);
  });
  return {
    name: basename(path),
    size,
    async *bytes(start = 0, end = size) {
      if (start >= end) return;
      try {
        // `end` of the stream is the last byte that it reads.
        yield* createReadStream(path, { start, end: end - 1, highWaterMark: CHUNK_BYTES });
      } catch (error) {
        throw inWords(path, error);
      }
    },
  };
}

async function checkFile(path: string) {
  const stats = await stat(path);
  if (stats.isDirectory()) throw notAFile(path, 'this is a folder; name a file in it');
  if (!stats.isFile()) throw notAFile(path, 'this is no regular file; save it as one first');
  await access(path, constants.R_OK);
  return stats;
}

function notAFile(path: string, sentence: string): UnreadableFile {
  return new UnreadableFile('not_a_file', sentence, { value: path });
}

function inWords(path: string, error: unknown): unknown {
  const reason = REASONS[(error as NodeJS.ErrnoException).code ?? ''];
  if (reason === undefined) return error;
  return new UnreadableFile(reason[0], reason[1], { value: path });
}
