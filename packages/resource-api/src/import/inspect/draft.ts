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
      const inner = Object.hasOwn(parent, key) ? parent[key] : undefined;
      if (typeof inner === 'object' && inner !== null) parent = inner as Record<string, unknown>;
      else {
        const created: Record<string, unknown> = {};
        Object.defineProperty(parent, key, {
          ...{ value: created, enumerable: true, writable: true, configurable: true },
        });
        parent = created;
      }
    }
    const key = path.at(-1) ?? '';
    Object.defineProperty(parent, key, {
      ...{ value, enumerable: true, writable: true, configurable: true },
    });
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
