/**
 * Go compiles all of its library that a program needs, where nobody has before: without optimisation, and without
 * what a debugger reads, in half of the time, and once for all programs that are compiled alike. Types are checked
 * all the same.
 */
export const GO = {
  CGO_ENABLED: '0',
  GOGC: '400',
  GOFLAGS: "'-gcflags=all=-N -l -dwarf=false' '-ldflags=-s -w'",
};
