// Reads Kustomize folders as far as these manifests use them, and checks objects against the schemas
// of Kubernetes, so that no cluster and no kubectl are needed.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

const require = createRequire(import.meta.url);
// The compiled schemas are not among the package's exports.
const SCHEMAS = join(dirname(require.resolve('kubernetes-models')), '_schemas');
const GROUPS = { '': 'Core', 'networking.k8s.io': 'Networking' };

/** Every object of a YAML text. */
export function objectsOf(text) {
  return parseAllDocuments(text, { merge: true }).map((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    return document.toJS();
  });
}

/** What is wrong with an object, field by field; a field that Kubernetes does not know is wrong too. */
export function faultsOf(object) {
  const [version, group = ''] = object.apiVersion.split('/').reverse();
  const title = (text) => `${text[0].toUpperCase()}${text.slice(1)}`;
  const name = `IoK8sApi${GROUPS[group] ?? title(group)}${title(version)}${object.kind}`;
  const { validate } = require(join(SCHEMAS, `${name}.js`));
  const read = new Set();
  const fits = validate(watched(object, '', read));
  const wrong = fits
    ? []
    : validate.errors.map(
        ({ instancePath, params }) => `${instancePath} ${JSON.stringify(params)}`,
      );
  return [...wrong, ...paths(object).filter((path) => !read.has(path))];
}

/** The compiled schemas ignore unknown fields: one is a field that they never look at. */
function watched(value, path, read) {
  if (typeof value !== 'object' || value === null) return value;
  return new Proxy(value, {
    get(target, key) {
      if (typeof key === 'symbol') return target[key];
      read.add(`${path}/${key}`);
      return watched(target[key], `${path}/${key}`, read);
    },
  });
}

function paths(value, path = '') {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    `${path}/${key}`,
    ...paths(inner, `${path}/${key}`),
  ]);
}

/**
 * The objects that a folder stands for. @throws {Error} at a reference that leads nowhere.
 *
 * @param objects what a component is added to.
 */
export function composed(folder, objects = undefined) {
  const file = join(folder, 'kustomization.yaml');
  const {
    resources,
    components = [],
    patches = [],
    images = [],
    configMapGenerator = [],
    namespace,
    ...rest
  } = parse(readFileSync(file, 'utf8'));
  const { apiVersion, kind, ...unread } = rest;
  const wanted = objects === undefined ? 'Kustomization' : 'Component';
  if (kind !== wanted || Object.keys(unread).length > 0) {
    throw new Error(`${file}: this check does not read ${kind} ${Object.keys(unread)}`);
  }
  const pathOf = (name) => {
    const path = join(folder, name);
    if (!existsSync(path)) throw new Error(`${file}: ${name} is not there`);
    return path;
  };
  objects ??= [];
  for (const name of resources) {
    const path = pathOf(name);
    objects.push(
      ...(name.endsWith('.yaml') ? objectsOf(readFileSync(path, 'utf8')) : composed(path)),
    );
  }
  for (const name of components) composed(pathOf(name), objects);
  for (const generator of configMapGenerator) generate(objects, generator, file);
  for (const { path, target } of patches) {
    const chosen = objects.filter((one) => matches(one, target));
    if (chosen.length === 0) throw new Error(`${file}: ${path} has no target`);
    const steps = parse(readFileSync(join(folder, path), 'utf8'));
    for (const one of chosen) for (const step of steps) apply(one, step, path);
  }
  for (const { name, newName, newTag } of images) {
    const containers = objects
      .flatMap(({ spec }) => allContainers(spec))
      .filter(({ image }) => image === name);
    if (containers.length === 0) throw new Error(`${file}: nothing uses the image ${name}`);
    for (const container of containers) container.image = `${newName ?? name}:${newTag}`;
  }
  if (namespace !== undefined) for (const { metadata } of objects) metadata.namespace = namespace;
  return objects;
}

/** Of a Deployment or a Job, and of a CronJob. */
function allContainers(spec) {
  const { containers = [], initContainers = [] } =
    (spec?.template ?? spec?.jobTemplate?.spec.template)?.spec ?? {};
  return [...initContainers, ...containers];
}

function generate(objects, { name, behavior = 'create', literals }, file) {
  const data = Object.fromEntries(literals.map((each) => each.split(/=(.*)/s, 2)));
  const existing = objects.find(
    ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === name,
  );
  if ((behavior === 'merge') !== (existing !== undefined)) {
    throw new Error(`${file}: ConfigMap ${name}: ${behavior} is not possible`);
  }
  if (existing === undefined) {
    objects.push({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
  } else Object.assign(existing.data, data);
}

function matches({ kind, metadata }, target) {
  return target.kind === kind && (target.name ?? metadata.name) === metadata.name;
}

/** A step of a JSON patch (RFC 6902). */
function apply(object, { op, path, value }, file) {
  const keys = path.split('/').slice(1);
  const last = keys.pop();
  const parent = keys.reduce((inner, key) => inner?.[key], object);
  const known = op === 'add' ? parent !== undefined : parent?.[last] !== undefined;
  if (!['add', 'replace'].includes(op) || !known) {
    throw new Error(`${file}: ${op} ${path} does not fit ${object.kind} ${object.metadata.name}`);
  }
  if (last === '-') parent.push(value);
  else parent[last] = value;
}
