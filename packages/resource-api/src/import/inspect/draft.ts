/** A profile in the making: settings with the reason for each, and open questions. */

export interface Question {
  /** Where the profile has it: `columns.due`. */
  readonly setting: string;
  readonly question: string;
}

export class ProfileDraft {
  readonly document: Record<string, unknown> = {};
  /** By the path of the setting, joined by `\n`: names of statuses have points. */
  readonly comments = new Map<string, string>();
  readonly questions: Question[] = [];

  set(path: readonly string[], value: unknown, comment?: string): void {
    let parent = this.document;
    for (const key of path.slice(0, -1)) {
      const isMap = Object.hasOwn(parent, key) && typeof parent[key] === 'object';
      if (!isMap) define(parent, key, {});
      parent = parent[key] as Record<string, unknown>;
    }
    define(parent, path.at(-1) ?? '', value);
    if (comment !== undefined) this.comments.set(path.join('\n'), comment);
  }

  /** @param question without the mark; in words that name what to write instead. */
  ask(path: readonly string[], question: string, comment?: string): void {
    const setting = path.join('.');
    const before = this.questions.findIndex((other) => other.setting === setting);
    if (before >= 0) this.questions.splice(before, 1);
    this.questions.push({ setting, question });
    this.set(path, `? ${question}`, comment);
  }

  isOpen(path: readonly string[]): boolean {
    return this.questions.some(({ setting }) => setting === path.join('.'));
  }
}

/** A sender may call a status `__proto__`. */
function define(parent: object, key: string, value: unknown): void {
  Object.defineProperty(parent, key, {
    ...{ value, enumerable: true, writable: true, configurable: true },
  });
}
