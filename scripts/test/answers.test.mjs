import { expect } from 'chai';
import { firstDifference } from '../answers/difference.mjs';

describe('two recorded answers', () => {
  const differing = (expected, actual) => firstDifference(expected, actual)?.path;

  it('are the same where every byte is', () => {
    expect(firstDifference('{"a":[1]}', '{"a":[1]}')).to.equal(undefined);
  });

  it('differ at the first place that has another value, or none', () => {
    expect(firstDifference('{"a":[1,{"b":2}],"c":3}', '{"a":[1,{"b":4}]}')).to.deep.equal({
      path: '$.a[1].b',
      expected: 2,
      actual: 4,
    });
    expect(differing('{"a":[]}', '{"a":[],"b":null}')).to.equal('$.b');
    expect(differing('{"a":[]}', '{"a":{}}')).to.equal('$.a');
    expect(differing('id,name\n1,x\n', 'id,name\n1,y\n')).to.equal('$lines[1][1]');
    expect(differing('{"a":1}\n{"a":2}\n', '{"a":1}\n')).to.equal('$lines[1]');
  });

  it('differ at a character where the same values are written in another way', () => {
    expect(differing('{"a":1,"b":2}', '{"b":2,"a":1}')).to.equal('character 2');
  });
});
