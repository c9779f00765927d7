import type { Command, Option } from 'commander';
import { nearestName } from '../http/nearest-name.ts';

/**
 * Reports mistakes that commander reports wrongly or not at all. A mistyped option is named beside
 * the option that is missing because of it. All missing options are named at once. An option that
 * is given twice is refused, because one of its values would be lost.
 */
export function nameMistypedOptions(command: Command): void {
  const error = command.error.bind(command);
  command.error = (message, options) => {
    if (options?.code !== 'commander.missingMandatoryOptionValue') return error(message, options);
    const unknown = command.args.find((word) => word.startsWith('--'));
    const faults = unknown === undefined ? [] : [unknownOption(command, unknown)];
    return error([...faults, missing(command)].join('\n'), options);
  };
  for (const option of command.options.filter(takesOneValue)) {
    let given = false;
    command.on(`option:${option.name()}`, () => {
      if (given) command.error(`error: option '${option.flags}' is given twice`);
      given = true;
    });
  }
}

function takesOneValue(option: Option): boolean {
  const repeatable = option.variadic || Array.isArray(option.defaultValue);
  return option.required && !repeatable;
}

function unknownOption(command: Command, word: string): string {
  const names = command.options.map(({ long }) => long ?? '');
  const near = nearestName(word, names);
  return `error: unknown option '${word}'${near === undefined ? '' : `\n(Did you mean ${near}?)`}`;
}

function missing(command: Command): string {
  const flags = command.options
    .filter((option) => option.mandatory)
    .filter((option) => command.getOptionValue(option.attributeName()) === undefined)
    .map((option) => `'${option.flags}'`);
  const noun = flags.length === 1 ? 'option' : 'options';
  return `error: required ${noun} ${flags.join(', ')} not specified`;
}
