// Runs drills, those that need the same stores in one world.
import { runDrill, runScenario } from './run-drill.mjs';
import { startWorld } from './world.mjs';

/** @returns the results of each drill's runs, by drill */
export async function runDrills(drills, times, onResult) {
  const results = new Map(drills.map((drill) => [drill, []]));
  // Servers and services alone would not keep this process waiting for them.
  const waits = setInterval(() => undefined, 60_000);
  let world;
  let needs;
  const close = async () => {
    await world?.close();
    world = undefined;
  };
  for (const drill of inOrderOfNeeds(drills)) {
    if (drill.missing !== undefined) {
      process.stderr.write(`SKIPPED: ${drill.name} needs ${drill.missing}\n`);
      continue;
    }
    for (let run = 1; run <= times; run += 1) {
      const needed = JSON.stringify(drill.needs ?? {});
      if (needed !== needs) await close();
      needs = needed;
      world ??= await startWorld(drill.needs);
      const runOne = drill.scenario === undefined ? runDrill : runScenario;
      const result = await runOne(world, drill).catch((error) => ({
        ...{ faults: [`the drill failed: ${error.message}`], reasons: [], answers: 0, refused: 0 },
        ...{ failedForMs: 0, slowestMs: 0 },
      }));
      results.get(drill).push(result);
      onResult(drill, run, result);
      // What a failed run left is no place to begin another.
      if (drill.ends === 'world' || drill.scenario || result.faults.length > 0) await close();
    }
  }
  await close();
  clearInterval(waits);
  for (const [drill, runs] of results) if (runs.length === 0) results.delete(drill);
  return results;
}

function inOrderOfNeeds(drills) {
  const kinds = [...new Set(drills.map(({ needs = {} }) => JSON.stringify(needs)))];
  const rank = ({ needs = {} }) => kinds.indexOf(JSON.stringify(needs));
  return [...drills].sort((a, b) => rank(a) - rank(b));
}
