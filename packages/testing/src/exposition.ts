/** What a service says on its port of metrics, as a monitoring system reads it. */
export interface Exposition {
  /** Every series of ours: its name with its labels. Node's own come and go with its work. */
  readonly series: readonly string[];
  /** The names of metrics, as queries name them: `…_bucket`, `…_count` and `…_sum` of a histogram. */
  readonly names: ReadonlySet<string>;
  /** The sum of all series of the name that have these labels; undefined where there is none. */
  value(name: string, labels?: Readonly<Record<string, string>>): number | undefined;
}

export async function readExposition(port: number | undefined): Promise<Exposition> {
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
  if (answer.status !== 200) throw new Error(`metrics were answered with ${answer.status}`);
  const lines = (await answer.text()).split('\n').filter((line) => /^[a-z]/.test(line));
  const samples = lines.map((line) => {
    const cut = line.lastIndexOf(' ');
    return { series: line.slice(0, cut), value: Number(line.slice(cut + 1)) };
  });
  return {
    series: samples.map(({ series }) => series).filter((one) => one.startsWith('cls_')),
    names: new Set(samples.map(({ series }) => nameOf(series))),
    value(name, labels = {}) {
      const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
      const found = samples.filter(
        ({ series }) => nameOf(series) === name && wanted.every((one) => series.includes(one)),
      );
      return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
    },
  };
}

function nameOf(series: string): string {
  return series.split('{', 1)[0] ?? '';
}
