/** Works out once for each key what several ask for. A key may be a list: it stands for itself. */
export function oncePerKey<Key, Value>(work: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    if (!known.has(key)) known.set(key, work(key));
    return known.get(key) as Value;
  };
}
